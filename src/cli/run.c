/* atoll run: loads a module, makes its arguments, launches a kernel, saves results. */
#include "cli/run.h"
#include "file/file.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD(name) offsetof(struct run_options, name)

static const struct option options[] = {
    {"kernel", 'k', "NAME[(A, B...)]", OPTION_TEXT, FIELD(kernel),
     "kernel to run (default: the only one, or the one named like the file);\nin parentheses: what its parameters are "
     "called"},
    {"grid", 'g', "X[xY[xZ]]", OPTION_SHAPE, FIELD(grid),
     "blocks, of CTM index pairs (default: cover the first buffer or surface)"},
    {"block", 'b', "X[xY[xZ]]", OPTION_SHAPE, FIELD(block),
     "threads a block (default: .reqntid, the warp of a vISA kernel, or 16x16\nor 256 to cover, else 1)"},
    {"arg", 'a', "NAME=VALUE", OPTION_LIST, FIELD(args), "a parameter of the kernel; see below"},
    {"save", 's', "NAME=FILE", OPTION_LIST, FIELD(saves),
     "write a buffer, surface or variable to .png, .npy, .raw or .bin"},
    {"expect", 0, "NAME=FILE", OPTION_LIST, FIELD(expects),
     "compare a buffer, surface or variable with a PNG file, a numpy array or raw bytes;\nexit code 1 when they "
     "differ"},
    {"tolerance", 0, "T", OPTION_REAL, FIELD(tolerance),
     "elements may differ by so much from --expect (default: 0; NaN is NaN)"},
    {"diff", 0, "NAME=FILE.png", OPTION_LIST, FIELD(diffs),
     "a picture of where NAME differs from its --expect; black: nowhere"},
    {"let", 0, "NAME=VALUE", OPTION_LIST, FIELD(lets), "a buffer or surface that other values name; no parameter"},
    {"bind", 0, "S=surface:...", OPTION_LIST, FIELD(binds), "a surface for the .surfref S, or for S[N]"},
    {"var", 0, "NAME=VALUE", OPTION_LIST, FIELD(vars), "a value for a .global or .const variable"},
    {"stream", 0, NULL, OPTION_FLAG, FIELD(stream), "the file is a command stream of CTM; --memory says what it finds"},
    {"memory", 0, "ADDRESS[:SIZE][=FILE]", OPTION_LIST, FIELD(memory),
     "memory of a command stream: zeros, or what a file has; a file may lie in memory given before"},
    {"shared", 0, "BYTES", OPTION_U32, FIELD(shared),
     "dynamic shared memory; of vISA the shared local memory that the kernel does not declare"},
    {"threads", 'j', "N", OPTION_U32_SOME, FIELD(threads), "host threads (default: all processors)"},
    {"deterministic", 0, NULL, OPTION_FLAG, FIELD(deterministic), "one host thread, blocks and warps in order"},
    {"seed", 0, "N", OPTION_SEED, FIELD(seed), "one host thread, a random order of blocks, warps and lanes fixed by N"},
    {"seeds", 0, "N", OPTION_U32_SOME, FIELD(seeds),
     "run N orders, from --seed or seed 1 on, and say which give other results;\nexit code 1 when some do"},
    {"weak", 0, NULL, OPTION_FLAG, FIELD(weak),
     "loads read older values where the memory model of PTX allows it (sm_70 and later);\nwith --seed, or seed 1"},
    {"policy", 0, "frontier|stack", OPTION_TEXT, FIELD(policy),
     "which lanes of a warp run when they part (default: stack where the code is made for one)"},
    {"engine", 0, "auto|interp|jit", OPTION_TEXT, FIELD(engine),
     "auto (default): the interpreter, joined by compiled code where that pays; interp: it alone;\njit: compiled code "
     "from the first block on (needs LLVM 19); results are the same"},
    {"no-cache", 0, NULL, OPTION_FLAG, FIELD(no_cache), "compiled code is not kept on the disk, nor taken from there"},
    {"cooperative", 0, NULL, OPTION_FLAG, FIELD(cooperative), "all blocks are resident: grid barriers work"},
    {"helper-lanes", 0, "MASK", OPTION_U32, FIELD(helper_lanes), "lanes of every warp whose SUATOM does nothing"},
    {"limit-instructions", 0, "N", OPTION_U64_SOME, FIELD(limit_instructions), "stop after N warp instructions"},
    {"limit-memory", 0, "BYTES", OPTION_U64_SOME, FIELD(memory_limit), "device memory and surfaces (default: 64 GiB)"},
    {"timeout", 0, "SECONDS", OPTION_SECONDS, FIELD(timeout), "stop after this time"},
    {"div-zero", 0, "trap|ones", OPTION_TEXT, FIELD(div_zero),
     "integer division by zero: a trap, or all ones as the hardware does (default)"},
    {"stats", 0, "[=json]", OPTION_WORD, FIELD(stats_form),
     "print counters of the launch on standard error, as rows or as JSON (docs/json.md)"},
    {"contention", 0, "[=csv]", OPTION_WORD, FIELD(contention_form),
     "print what each atomic cost on standard error, on global memory and surfaces, too;\nas rows or as CSV"},
    {"check", 0, "race|init|sync|value|memory|border|outputs|all[,...]", OPTION_LIST, FIELD(checks),
     "look for mistakes while the kernel runs (docs/checks.md);\nexit code 1 when something was "
     "found"},
    {"max-errors", 0, "N", OPTION_U32_SOME, FIELD(max_errors),
     "findings of --check that are told (default: 100), others are counted; errors of a module (default: all)"},
    {"report", 0, "[FORMAT:]FILE", OPTION_LIST, FIELD(reports),
     "write what was found, traps, limits and differences to a file: .sarif, .xml (JUnit), .json, .html, or\n"
     "FORMAT: sarif, junit, json, html, github; github alone: annotations on standard error"},
    {"history", 0, "NAME@X[,Y[,Z]]", OPTION_LIST, FIELD(history),
     "print all that happens to a texel, or to an element of a buffer: who reads or writes what, when, where"},
    {"history-lines", 0, "N", OPTION_U64_SOME, FIELD(history_lines),
     "lines of --history that are told (default: 1000); others are counted"},
    {"profile", 0, "FILE", OPTION_LIST, FIELD(profiles),
     "what ran when: .json (Perfetto, chrome://tracing); what each line did: .txt, .csv;\nNAME=FILE.png: how often "
     "each texel of a surface is reached"},
    {"profile-slices", 0, "N", OPTION_U64_SOME, FIELD(profile_slices),
     "slices of --profile=FILE.json (default: 100000); others are counted"},
    {"trace", 0, "FILE", OPTION_TEXT, FIELD(trace), "write a line per warp instruction ('-': standard output)"},
    {"trace-block", 0, "X[,Y[,Z]]", OPTION_TEXT, FIELD(trace_block), "trace this block alone"},
    {"trace-warp", 0, "N", OPTION_SEED, FIELD(trace_warp), "trace this warp of each block alone"},
    {"trace-lines", 0, "A[-B]", OPTION_TEXT, FIELD(trace_lines),
     "trace these lines of the source alone, or of the module's text where it tells none"},
    {"limit-trace", 0, "BYTES", OPTION_U64_SOME, FIELD(limit_trace), "cut the trace after so many bytes"},
    {"dump", 0, "insn|lanes", OPTION_TEXT, FIELD(dump), "print the instructions or the lane program; run nothing"},
    {"quiet", 'q', NULL, OPTION_FLAG, FIELD(quiet), "no notes on what was filled in, no progress"},
    LAUNCH_OPTIONS(struct run_options, source),
    TARGET_OPTIONS(struct run_options, source),
    MESSAGE_FORM_OPTIONS(struct run_options, source),
    {0},
};

static const char notes[] =
    "Several files are joined as one module, as the vendor's linker does it: all PTX, or all\n"
    "relocatable cubins (nvcc -rdc=true -cubin, ptxas -c) or texts of such.\n\n"
    "NAME of --arg is a parameter's number from 0; or its name, as PTX has it (of nvcc's KERNEL_param_0 param_0 will\n"
    "do), as debug information (nvcc -G) has it, or as --kernel 'KERNEL(A, B...)' gives it.\n"
    "32-bit integers that are not given, directly behind a buffer or surface, are its size.\n\n"
    "VALUE of --arg:\n"
    "  1024                        a number of the parameter's own type\n"
    "  u32:1024  f32:0.5           a number of this type\n"
    "  u32:1,2,3,4  bytes:00ff17   arrays and structs\n"
    "  struct:f32:1,ptr:in,u8:2    a struct: fields at the alignment of their types\n"
    "  buffer:u32[256]             zeros;  =7 or =1,2,3,... behind it: these numbers\n"
    "  buffer:@FILE                a numpy array, PNG pixels, or the bytes of a file\n"
    "  buffer:NAME[+BYTES]         an address in the buffer of another --arg or --let\n"
    "  buffer:ptr[]=a,b+16,0       pointers to buffers;  buffer:struct:...: a struct\n"
    "  surface:NAME                the same as another argument\n"
    "  surface:FILE.png[:FORMAT]   a picture\n"
    "  surface:FORMAT:WxH          or 1d:W 1dbuffer:W 1darray:WxL 2darray:WxHxL 3d:WxHxD cube:W cubearray:WxN;\n"
    "                              =NUMBER behind it: fill;  :@FILE behind it: the texels\n"
    "  sampler:WORD,...            nearest linear normalized repeat mirror clamp border ...\n"
    "  local:BYTES                 shared memory of a block; the parameter gets where it begins\n"
    "Examples (docs/cli.md):\n"
    "  atoll run k.ptx -k 'saxpy(n, a, x, y)' -a a=2 -a x=buffer:@x.npy -a y=buffer:@y.npy -a n=1024 -s y=out.npy\n"
    "  atoll run sobel.ptx -k 'sobel(src, dst, w, h)' -a src=surface:in.png -a dst=surface:r8unorm:64x64 \\\n"
    "      --expect dst=ref.png --tolerance 1 --diff dst=diff.png\n"
    "  atoll run k.ptx -k sum -g 4 -b 64 -a p=buffer:u32[256]=1 --check=all --seed=7\n"
    "  atoll run k.ptx -k sum -g 4 -b 64 -a p=buffer:u32[256]=1 --seeds=100 --weak      do results depend on the "
    "order?\n"
    "  atoll run k.ptx -k sum -g 4 -b 64 -a p=buffer:u32[256]=1 --history p@0 --trace=t.txt --trace-block=1\n"
    "  atoll run k.ptx ... --check=race --report=k.html --report=k.sarif --report=junit:k.junit --report=github\n"
    "atoll list formats shows the formats. Nothing is saved when the kernel traps or is interrupted.\n";

/* Set by Ctrl-C; a signal handler can reach nothing else. The second Ctrl-C ends the program at once. */
static volatile int interrupted;

static void on_interrupt(int signal_number)
{
    if (interrupted)
        _exit(128 + signal_number);
    interrupted = 1;
}

const volatile int *run_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

/* When all is said and saved, memory is given back, and a host thread that still compiles is waited for: it leaves the
 * code for the next time. LLVM may be long about that, but not for ever. */
enum { CLOSE_SECONDS = 10 };
static volatile int code_at_end;

static void on_late(int signal_number)
{
    (void)signal_number;
    _exit(code_at_end);
}

static void end_in_time(int code)
{
    struct sigaction action = {.sa_handler = on_late};
    code_at_end = code;
    fflush(NULL);
    sigaction(SIGALRM, &action, NULL);
    alarm(CLOSE_SECONDS);
}

/* What the callbacks of a launch share. */
struct output {
    struct progress own, *progress;       /* that of all orders, where there are several */
    struct file_stream *standard, *trace; /* no trace: NULL; trace to the standard output: the same */
    uint64_t traced, limit_trace;         /* bytes; 0: no limit */
    bool cut;                             /* by the limit */
    bool terminal;                        /* lines are wanted at once */
    FILE *contention;                     /* rows, shown after the counters; NULL: not wanted */
    struct run *run;
    struct report *report; /* NULL: not wanted */
    bool unreported;       /* there was no memory for something that it should have */
};

static void on_print(void *user, const char *bytes, size_t size)
{
    struct output *output = user;
    progress_clear(output->progress);
    bool ok = file_stream_add(output->standard, bytes, size);
    if (!ok || (output->terminal && !file_stream_flush(output->standard)))
        interrupted = 1; /* nobody will hear of the rest */
}

static void on_progress(void *user, const struct atoll_progress *now)
{
    struct output *output = user;
    if (output->run->orders)
        progress_show_orders(output->run->orders, now);
    else
        progress_show(output->progress, now);
}

static void on_trace(void *user, const char *line, size_t size)
{
    struct output *output = user;
    bool ended = size > 0 && line[size - 1] == '\n';
    if (output->cut)
        return;
    output->traced += size;
    if (output->limit_trace && output->traced > output->limit_trace) {
        static const char end[] = "the trace is cut here: --limit-trace\n";
        line = end;
        size = sizeof end - 1;
        output->cut = ended = true;
    }
    if (!file_stream_add(output->trace, line, size) || (!ended && !file_stream_add(output->trace, "\n", 1)))
        interrupted = 1;
}

static void on_finding(void *user, const struct atoll_finding *finding)
{
    struct output *output = user;
    if (output->report)
        output->unreported |= !report_finding(output->report, finding);
    progress_clear(output->progress);
    finding_print(finding, stderr);
}

static void on_contention(void *user, const struct atoll_contention *row)
{
    struct output *output = user;
    if (output->contention)
        contention_print(row, output->run->options->contention_form, output->contention);
    if (output->report)
        output->unreported |= !report_contention(output->report, row);
}

static void on_touch(void *user, const struct atoll_touch *touch)
{
    struct output *output = user;
    struct text line = {0};
    progress_clear(output->progress);
    history_print(output->run, touch, &line);
    if (text_ok(&line))
        fwrite(line.bytes, 1, line.length, stderr);
    output->unreported |= !text_ok(&line) || (output->report && !history_report(output->run, touch, output->report));
    text_free(&line);
}

static void on_slice(void *user, const struct atoll_slice *slice)
{
    const struct output *output = user;
    profile_slice(output->run->profile, slice);
}

static void on_line(void *user, const struct atoll_line_count *line)
{
    const struct output *output = user;
    profile_line(output->run->profile, line);
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

/* What --check asks for; each adds to those before. */
static bool checks_given(const struct run_options *o, unsigned *checks, struct atoll_error *error)
{
    unsigned more;
    for (uint32_t i = 0; i < o->checks.count; i++) {
        if (!atoll_check_find(o->checks.items[i], &more, error))
            return false;
        *checks |= more;
    }
    return true;
}

static bool describe_kernel(struct run *run, struct atoll_error *error)
{
    const char *prototype = NULL;
    if (!run_kernel(run, &prototype, error))
        return false;
    atoll_kernel_describe(run->kernel, &run->info);
    run->parameters = arena_array(run->arena, run->info.parameters, sizeof *run->parameters);
    run->given = arena_array(run->arena, run->info.parameters, sizeof *run->given);
    run->named = arena_array(run->arena, run->info.parameters, sizeof *run->named);
    if (!run->parameters || !run->given || !run->named)
        return error_memory(error);
    for (uint32_t i = 0; i < run->info.parameters; i++)
        if (!atoll_kernel_parameter(run->kernel, i, &run->parameters[i], error))
            return false;
    return !prototype || run_prototype(run, prototype, error);
}

static bool parse_objects(struct run *run, struct atoll_error *error)
{
    const struct list *const lists[] = {&run->options->args, &run->options->lets, &run->options->binds};
    static const char *const names[] = {"--arg", "--let", "--bind"};
    run->nargs = run->options->args.count;
    run->nlets = run->options->lets.count;
    run->nobjects = run->nargs + run->nlets + run->options->binds.count;
    run->objects = arena_array(run->arena, run->nobjects, sizeof *run->objects);
    if (!run->objects)
        return error_memory(error);
    struct object *object = run->objects;
    for (int l = 0; l < 3; l++)
        for (unsigned i = 0; i < lists[l]->count; i++, object++) {
            object->parameter = NOT_PLACED;
            if (!argument_parse(run->arena, names[l], lists[l]->items[i], &object->argument, error))
                return false;
            object->told = l == 0 && run->options->source.abi && abi_word(&object->argument);
        }
    return true;
}

/* What was read for the module. */
static bool inputs_note(struct run *run, struct atoll_error *error)
{
    const char *colon = run->options->source.abi ? strchr(run->options->source.abi, ':') : NULL;
    bool ok = !colon || list_add(run->arena, &run->inputs, colon + 1);
    for (unsigned i = 0; i < run->modules->count && ok; i++) {
        run->input_taken |= strcmp(run->modules->items[i], "-") == 0;
        ok = list_add(run->arena, &run->inputs, run->modules->items[i]);
    }
    return ok || error_memory(error);
}

/* The standard output and the trace. */
static bool output_open(struct run *run, struct output *output, struct atoll_error *error)
{
    const char *trace = run->options->trace;
    output->limit_trace = run->options->limit_trace;
    output->standard = arena_alloc(run->arena, sizeof *output->standard);
    if (!output->standard || !file_stream_open("-", output->standard, error))
        return output->standard || error_memory(error);
    output->terminal = isatty(STDOUT_FILENO);
    if (!trace || file_same("-", trace)) {
        output->trace = trace ? output->standard : NULL;
        return true;
    }
    output->trace = arena_alloc(run->arena, sizeof *output->trace);
    return output->trace ? file_stream_open(trace, output->trace, error) : error_memory(error);
}

/* Writes what is left, however the launch has ended. What could not be written is the error then: it ended the launch.
 */
static bool output_close(const struct output *output, bool ok, struct atoll_error *error)
{
    struct atoll_error unwritten = {0};
    bool written = file_stream_close(output->standard, &unwritten);
    if (output->trace && output->trace != output->standard)
        written = file_stream_close(output->trace, written ? &unwritten : NULL) && written;
    if (!written && (ok || error->status == ATOLL_INTERRUPTED))
        *error = unwritten;
    return ok && written;
}

/* Lanes that part come together when the others have caught up, not where the code says. */
static void note_policy(const struct run *run)
{
    const char *policy = run->options->policy;
    if (policy && strcmp(policy, "frontier") == 0 && run->info.token_stack)
        run_note(
            run,
            "--policy=frontier: lanes of a warp do not keep step as this code expects; what counts on that without "
            "a barrier (warp-synchronous code) may give other results");
}

static void launch_describe(const struct run *run, struct output *output, struct atoll_launch_options *l)
{
    const struct run_options *o = run->options;
    l->dynamic_shared = (uint32_t)run->shared_bytes; /* run_values keeps it small */
    l->threads = o->threads;
    bool seeded = o->seed.given || o->weak;
    l->order = o->deterministic ? ATOLL_ORDER_DETERMINISTIC : seeded ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_PARALLEL;
    l->seed = o->seed.given ? o->seed.value : 1;
    l->weak = o->weak;
    note_policy(run);
    if (o->policy)
        l->policy = strcmp(o->policy, "stack") == 0 ? ATOLL_POLICY_STACK : ATOLL_POLICY_FRONTIER;
    l->no_cache = o->no_cache;
    l->cooperative = o->cooperative;
    l->helper_lanes = o->helper_lanes;
    l->instruction_limit = o->limit_instructions;
    l->time_limit = o->timeout;
    l->integer_division_trap = o->div_zero && strcmp(o->div_zero, "trap") == 0;
    l->print = on_print;
    l->progress = on_progress;
    l->trace = output->trace ? on_trace : NULL;
    l->trace_filter = output->trace ? &run->trace_filter : NULL;
    /* Where conflicts are counted kernels with atomics on shared memory are interpreted. */
    bool compiled = o->engine && strcmp(o->engine, "jit") == 0;
    l->contention = o->contention_form || (o->stats_form && !compiled) ? on_contention : NULL;
    l->contention_everywhere = o->contention_form;
    l->touch = on_touch;
    l->max_touches = o->history_lines;
    l->max_slices = o->profile_slices;
    l->slice = run->profile ? on_slice : NULL;
    l->line = run->profile ? on_line : NULL;
    l->finding = run->orders && run->orders->findings ? NULL : on_finding; /* of many orders the first are told */
    l->max_findings = o->max_errors;
    l->user = output;
}

static bool launch(struct run *run, struct atoll_stats *stats, FILE *contention, struct atoll_error *error)
{
    struct output output = {.own.terminal = !run->options->quiet && isatty(STDERR_FILENO),
                            .contention = contention,
                            .run = run,
                            .report = run->report.nfiles || run->options->stats_form ? &run->report : NULL};
    output.progress = run->orders ? &run->orders->progress : &output.own;
    if (!output_open(run, &output, error))
        return false;
    launch_describe(run, &output, &run->launch);
    run_ordered(run);
    run->report.began = true;
    bool ok = atoll_launch(run->kernel, &run->launch, stats, &run->trap, error);
    if (!ok && stats->seconds == 0 && !(run->orders && run->orders->taken))
        run->report.began = false; /* it was refused */
    if (!ok && error->status == ATOLL_MEMORY && run->launch.checks) {
        size_t length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length, " (--limit-memory)");
    }
    if (!ok || !run->orders) /* else it stays until something else is told */
        progress_clear(output.progress);
    if (ok && output.trace && !output.traced)
        run_traced_nothing(run);
    if (output.unreported && ok)
        ok = error_memory(error);
    return output_close(&output, ok, error);
}

/* What is told of a launch that is over, however it ended. */
static void tell_after(struct run *run, const struct atoll_stats *stats, const char *rows)
{
    const char *form = run->options->stats_form;
    run->findings = stats->findings;
    if (!run->orders || !run->orders->taken) {
        const char *why = stats->not_compiled; /* the module's */
        run->report.stats = *stats;
        run->report.stats.not_compiled = why ? arena_text(run->report.arena, why, strlen(why)) : NULL;
    }
    if (run->launch.finding) {
        run->report.untold = stats->findings_untold;
        run->report.untold_times = stats->findings_untold_times;
    }
    if (form && *form)
        stats_json(&run->report, stderr);
    else if (form)
        stats_print(stats, stderr);
    if (rows && *rows)
        contention_show(rows, run->options->contention_form, stderr);
    struct text untold = {0};
    if (stats->findings_untold_times)
        report_untold(stats->findings_untold, stats->findings_untold_times, &untold);
    if (untold.length && text_ok(&untold))
        fprintf(stderr, "atoll: %s\n", untold.bytes);
    text_free(&untold);
    if (stats->touches_untold)
        fprintf(stderr, "atoll: accesses beyond these (--history-lines): %" PRIu64 "\n", stats->touches_untold);
}

/* From a loaded module to saved results. */
static bool run_all(struct run *run, struct atoll_error *error)
{
    struct atoll_stats stats = {0};
    const char *form = run->options->stats_form;
    run->launch.interrupt = run_interrupt();
    if (!inputs_note(run, error) || !describe_kernel(run, error) || !parse_objects(run, error) ||
        !run_place(run, error) || !run_make(run, error) || !run_values(run, error) || !run_shape(run, error) ||
        !run_expects(run, error) || !run_saves(run, error) || !run_reports(run, error) || !run_history(run, error) ||
        !run_profile(run, error) || !run_trace(run, error))
        return false;
    char *rows = NULL;
    size_t size = 0;
    bool shows = run->options->contention_form ? !form || !*form : form && !*form; /* else in the JSON */
    FILE *contention = shows ? open_memstream(&rows, &size) : NULL;
    bool ok = launch(run, &stats, contention, error);
    if (contention)
        fclose(contention);
    tell_after(run, &stats, rows);
    free(rows);
    struct atoll_error unwritten;
    if (!profile_write(run, &stats, &unwritten)) {
        if (ok)
            *error = unwritten;
        else
            cli_fail(&unwritten); /* what ended the launch is told, too */
        ok = false;
    }
    if (run->orders)
        run->orders->findings += stats.findings;
    return ok && run_expect(run, error) && (!run->orders || orders_take(run->orders, run, error)) &&
           run_save(run, error);
}

static int dump(const struct run *run)
{
    bool lanes = strcmp(run->options->dump, "lanes") == 0;
    struct atoll_error error;
    char *text;
    size_t size;
    if (!atoll_module_text(run->module, lanes ? ATOLL_TEXT_LANES : ATOLL_TEXT_INSN, &text, &size, &error))
        return cli_fail(&error);
    int code = cli_put(text, size, EXIT_OK);
    atoll_text_free(text);
    return code;
}

static int run_module(struct run *run)
{
    struct atoll_error error = {0};
    if (run->options->dump)
        return dump(run);
    bool ok = run_all(run, &error);
    run_expects_free(run);
    profile_free(run->profile);
    if (!ok && run->orders)
        progress_clear(&run->orders->progress);
    int code = !ok ? cli_fail(&error) : run->findings || run->differs ? EXIT_KERNEL : EXIT_OK;
    run_reported(run, ok ? NULL : &error, &code);
    if (!ok && run->explain && run->given) {
        struct text out = {0};
        run_explain(run, &out);
        if (text_ok(&out))
            fwrite(out.bytes, 1, out.length, stderr);
        text_free(&out);
    }
    return code;
}

int run_order(struct arena *arena, const struct run_options *o, const struct list *plain, struct orders *orders)
{
    struct run run = {
        .arena = arena, .options = o, .orders = orders, .path = plain->items[0], .modules = plain, .notes = !o->quiet};
    struct atoll_device_options device = {.memory_limit = o->memory_limit};
    struct atoll_error error = {0};
    struct diagnosed diagnosed = {0};
    struct source_options source = o->source;
    source.max_errors = o->max_errors;
    if (orders)
        run.report = orders->report;
    else
        run.report.arena = arena;
    if (!(run.report.began || reports_parse(&run.report, &o->reports, &error)) ||
        !checks_given(o, &run.launch.checks, &error) || (!o->stream && !engine_given(o, &run.launch.engine, &error)))
        return cli_fail(&error);
    if (o->stream)
        return run_stream(arena, o, plain);
    if (o->memory.count) {
        error_set(&error, ATOLL_USAGE, "--memory is of command streams: --stream");
        return cli_fail(&error);
    }
    if ((source.abi && !strchr(source.abi, ':') &&
         !abi_arguments(arena, &o->args, o->kernel, &source.abi_text, &error)) ||
        !atoll_device_create(&device, &run.device, &error))
        return cli_fail(&error);
    int code;
    run.module = sources_load(plain, &source, run.device, &diagnosed, &code);
    if (run.module)
        code = run_module(&run);
    if (orders)
        orders->report = run.report;
    else
        end_in_time(code);
    atoll_device_destroy(run.device);
    alarm(0);
    return code;
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command;
    const struct run_options *o = given;
    struct atoll_error error;
    if (!run_options_check(o, &error))
        return cli_fail(&error);
    return o->seeds && !o->stream ? run_seeds(o, plain) : run_order(arena, o, plain, NULL);
}

const struct command command_run = {
    .name = "run",
    .synopsis = "FILE... [options]",
    .summary = "run a kernel",
    .options = options,
    .notes = notes,
    .least = 1,
    .most = FILES_MOST,
    .size = sizeof(struct run_options),
    .run = run_command,
};
