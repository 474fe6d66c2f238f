"""Runs the kernels of this folder on a GPU and writes what it left, for test_kernels.py to compare with.

    python3 record.py [--device N] [--only NAME] RESULTS

Needs libcuda.so.1 and Python 3.6, no toolkit. Each kernel runs three times: what differs from run to run is no result. RESULTS is written after
each, so that it has all that came before one that hangs. Exit status: 0 recorded, 1 a kernel failed or was not the same each time, 77 no GPU here
(skipped)."""

import argparse
import json
import os
import signal
import sys
from ctypes import CDLL, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p, cast, create_string_buffer

import cases

SKIP, SECONDS, TIMES = 77, 60, 3
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...


class Failure(Exception):
    pass


class Driver:
    """The CUDA driver API: functions by their names, whose result is an error unless it is 0."""

    def __init__(self, device):
        try:
            self.cuda = CDLL("libcuda.so.1")
        except OSError:
            raise Failure("no libcuda.so.1")
        self.cuInit(0)
        self.device, context = c_int(), c_void_p()
        self.cuDeviceGet(byref(self.device), device)
        self.cuCtxCreate_v2(byref(context), 0, self.device)

    def __getattr__(self, name):
        function = getattr(self.cuda, name)

        def call(*args):
            error, text = function(*args), c_char_p()
            if error:
                self.cuda.cuGetErrorName(error, byref(text))
                raise Failure("%s: %d %s" % (name, error, (text.value or b"?").decode()))

        return call

    def is_lost(self):
        """After a fault of a kernel nothing runs in this context any more."""
        return self.cuda.cuCtxSynchronize() != 0

    def attribute(self, which):
        value = c_int()
        self.cuDeviceGetAttribute(byref(value), which, self.device)
        return value.value

    def origin(self):
        name, version = create_string_buffer(128), c_int()
        self.cuDeviceGetName(name, 128, self.device)
        self.cuDriverGetVersion(byref(version))
        driver = "%d.%d" % (version.value // 1000, version.value % 1000 // 10)
        return {"device": name.value.decode(), "driver": driver, "compute": "%d.%d" % (self.attribute(MAJOR), self.attribute(MINOR))}


class Kernel:
    """A loaded kernel, and memory for its buffers."""

    def __init__(self, driver, case):
        self.driver, self.case, self.module, self.function = driver, case, c_void_p(), c_void_p()
        text = cases.ptx(case.name)
        name, self.types = cases.entry(text)
        driver.cuModuleLoadDataEx(byref(self.module), c_char_p(text), 0, None, None)
        driver.cuModuleGetFunction(byref(self.function), self.module, name.encode())
        self.memory = {}
        for i, given in enumerate(case.arguments):
            if isinstance(given, cases.Buffer):
                self.memory[i] = c_uint64()
                driver.cuMemAlloc_v2(byref(self.memory[i]), c_size_t(len(given.data)))

    def close(self):
        for address in self.memory.values():
            self.driver.cuMemFree_v2(address)
        self.driver.cuModuleUnload(self.module)

    def parameters(self):
        """What cuLaunchKernel takes: pointers to the values. They live as long as the list beside."""
        values = []
        for i, (kind, given) in enumerate(zip(self.types, self.case.arguments)):
            values.append(create_string_buffer(cases.packed(kind, self.memory[i].value if i in self.memory else given)))
        return values, (c_void_p * len(values))(*[cast(value, c_void_p) for value in values])

    def run(self):
        """Parameter, bytes of all outputs."""
        left, (values, pointers) = {}, self.parameters()
        for i, address in self.memory.items():
            data = self.case.arguments[i].data
            self.driver.cuMemcpyHtoD_v2(address, c_char_p(data), c_size_t(len(data)))
        sizes = [(*size, 1, 1)[:3] for size in (self.case.grid, self.case.block)]
        self.driver.cuLaunchKernel(self.function, *sizes[0], *sizes[1], 0, None, pointers, None)
        self.driver.cuCtxSynchronize()
        for i, buffer in cases.outputs(self.case):
            found = create_string_buffer(len(buffer.data))
            self.driver.cuMemcpyDtoH_v2(found, self.memory[i], c_size_t(len(buffer.data)))
            left[i] = found.raw
        return left


def record(driver, case):
    kernel = Kernel(driver, case)
    runs = []
    for _ in range(TIMES):
        left = kernel.run()
        runs.append({str(i): cases.told(buffer, left[i]) for i, buffer in cases.outputs(case)})
    kernel.close()
    if any(run != runs[0] for run in runs):
        raise Failure("not the same each time")
    runs[0]["case"] = cases.digest(case)
    return runs[0]


def record_all(driver, only, path):
    results, failed = dict(driver.origin(), kernels={}), 0
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    for case in cases.all_cases():
        if only not in case.name:
            continue
        signal.alarm(SECONDS)  # a kernel that hangs ends the process
        try:
            results["kernels"][case.name] = record(driver, case)
        except Failure as why:
            print("%s: %s" % (case.name, why), file=sys.stderr)
            failed += 1
        signal.alarm(0)
        with open(path, "w") as file:
            json.dump(results, file, indent=1, sort_keys=True)
            file.write("\n")
        if driver.is_lost():
            print("what comes after it was not run", file=sys.stderr)
            break
    print("%s: %d kernels recorded, %d failed" % (results["device"], len(results["kernels"]), failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="Records the kernels of this folder on a GPU.")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--only", default="", help="kernels whose name has this in it")
    parser.add_argument("results")
    options = parser.parse_args()
    try:
        driver = Driver(options.device)
    except Failure as why:
        print("skipped: no GPU here (%s); nothing recorded" % why)
        return SKIP
    return record_all(driver, options.only, options.results)


if __name__ == "__main__":
    sys.exit(main())
