/* What a generated program is linked with to be run: it is run many times, each in a process of its own, with random delays
   between its statements and its threads on two processors in turn.

   Standard output gets a line `outcome 1 2 3` for a run that comes to its end, and `ended N` for one that is ended by the
   signal N or the exit code N. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int program_main(void);

static unsigned long run_seed;
static _Thread_local uint64_t state;

static uint64_t number(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void spin(uint64_t rounds) {
    for (volatile uint64_t i = 0; i < rounds; i++)
        ;
}

void native_enter(int thread) {
    state = run_seed * 64 + (uint64_t)thread;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET((unsigned)thread % 2, &processors);
    sched_setaffinity(0, sizeof processors, &processors); /* Where there is one processor only, it fails: no matter. */
    spin(number() % 4096);
}

void native_delay(void) {
    uint64_t n = number();
    switch (n % 16) {
    case 0: sched_yield(); break;
    case 1:
    case 2: spin(n / 16 % 1024); break;
    case 3:
    case 4:
    case 5: spin(n / 16 % 64); break;
    default: break;
    }
}

void native_outcome(int n, const long long *values) {
    char line[256];
    int length = snprintf(line, sizeof line, "outcome");
    for (int i = 0; i < n; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %lld", values[i]);
    line[length++] = '\n';
    if (write(1, line, (size_t)length) != length)
        _exit(99);
}

/* program RUNS SEED */
int main(int argc, char **argv) {
    long runs = argc > 1 ? atol(argv[1]) : 100;
    unsigned long seed = argc > 2 ? strtoul(argv[2], 0, 10) : 0;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!freopen("/dev/null", "w", stderr))
        return 98;
    for (long run = 0; run < runs; run++) {
        pid_t child = fork();
        if (child < 0)
            return 97;
        if (child == 0) {
            alarm(5);
            run_seed = seed + (unsigned long)run;
            native_enter(0);
            program_main();
            _exit(0);
        }
        int status;
        if (waitpid(child, &status, 0) != child)
            return 96;
        if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
            char line[64];
            int what = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
            int length = snprintf(line, sizeof line, "ended %d\n", what);
            if (write(1, line, (size_t)length) != length)
                return 95;
        }
    }
    return 0;
}
