//! `fix` for formulae: fences, atomic writes, what the thesis's procedure comes to, and C.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use fencewright_cli::{Exit, World, main_with};

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let exit = main_with(std::iter::once("fencewright").chain(args.iter().copied()).map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

fn from_root(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn temporary(name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// Store buffering as a liveness bug: one full fence a process, as for the litmus test SB.
#[test]
fn a_lost_wake_up_is_repaired_with_two_fences_or_two_atomic_writes() {
    let file = from_root("corpus/liveness/lost-wakeup/lost_wakeup.rmm");
    let asked = ["fix", &file, "--ltl", "F P0.Awake", "--fairness", "process"];
    let (exit, out, err) = run(&asked);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(out.contains("REPAIRED — 2 full fences: minimum, proved"), "{out}");
    assert_eq!(out.matches("then nothing can happen any more").count(), 2, "evidence for each fence: {out}");
    let (exit, out, _) = run(&[&asked[..], &["--with", "atomic", "--cost", "atomic=50", "--quiet"]].concat());
    assert_eq!(exit, Exit::Proved);
    assert!(out.contains("REPAIRED — 2 atomic writes: minimum, proved"), "{out}");
    let (exit, out, _) = run(&[&asked[..], &["--strategy", "minimal-sets", "--quiet"]].concat());
    assert_eq!((exit, out.contains("2 full fences")), (Exit::Proved, true), "{out}");
}

/// Without fair threads the other one may spin for ever, whatever the memory model: no fence helps.
#[test]
fn what_is_violated_under_sc_is_not_repaired() {
    let file = from_root("corpus/liveness/peterson/peterson.rmm");
    let (exit, out, _) = run(&["fix", &file, "--ltl", "G (P0.Wait -> F P0.Crit)"]);
    assert_eq!(exit, Exit::Violated);
    assert!(out.contains("violated under sequential consistency too"), "{out}");
    assert!(out.contains("then for ever:"), "{out}");
}

/// V. Havel's thesis: Peterson needs four atomic writes, and no three are enough. `wants := 0` may be late.
#[test]
fn atomic_writes_of_a_model_become_a_list_that_check_takes() {
    let file = from_root("corpus/dve/peterson/peterson.dve");
    let list = temporary("atomic.txt");
    let formula = "G !(P.cs && Q.cs)";
    let asked = ["fix", &file, "--model", "slot", "--ltl", formula, "--write-atomic", &list];
    let (exit, out, err) = run(&asked);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(out.contains("REPAIRED — 4 atomic writes: minimum, proved"), "{out}");
    let written = std::fs::read_to_string(&list).expect("the list was written");
    assert_eq!(written, "(wants, P.1)\n(victim, P.2)\n(wants, Q.1)\n(victim, Q.2)\n");
    let check = ["check", &file, "--model", "slot", "--ltl", formula];
    assert_eq!(run(&check).0, Exit::Violated);
    assert_eq!(run(&[&check[..], &["--atomic", &list]].concat()).0, Exit::Proved);
    let (exit, out, _) = run(&[&asked[..], &["--strategy", "hazard", "--quiet"]].concat());
    assert_eq!(exit, Exit::Proved);
    assert!(out.contains("atomic writes: proved, perhaps not the fewest"), "{out}");
    let listed = std::fs::read_to_string(&list).expect("the list was written").lines().count();
    assert!((4..=6).contains(&listed), "never fewer than the minimum, never more than there are: {listed}");
}

#[test]
fn strategies_that_cannot_take_formulae_say_so() {
    let file = from_root("corpus/liveness/lost-wakeup/lost_wakeup.rmm");
    let asked = ["fix", &file, "--ltl", "F P0.Awake", "--fairness", "process", "--strategy", "avoid-formula"];
    let (exit, out, _) = run(&asked);
    assert_eq!(exit, Exit::Unknown);
    assert!(out.contains("the repair of a property of whole executions"), "{out}");
}

/// Peterson's lock with its fence, for ever: whoever has raised its flag takes it down again, after having been inside.
const PETERSON: &str = "\
#include <pthread.h>
#include <stdatomic.h>
static volatile int flag[2];
static volatile int turn;
static void *worker(void *argument) {
    int me = argument != 0, other = 1 - me;
    for (;;) {
        flag[me] = 1;
        turn = other;
        atomic_thread_fence(memory_order_seq_cst);
        while (flag[other] && turn == other)
            ;
        flag[me] = 0;
    }
    return 0;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, (void *)0);
    pthread_create(&second, 0, worker, (void *)1);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
";

/// Peterson's proof of progress, and as in corpus/liveness/peterson: `flag = 0` may wait in the buffer for ever.
#[test]
fn every_thread_of_a_c_program_that_waits_enters() {
    if Command::new("clang").arg("--version").output().is_err() {
        // Past the test harness, which would keep it to itself.
        let _ =
            std::io::stderr().write_all(b"\nSKIPPED: a test needs clang: `cargo xtask setup` installs it\n");
        return;
    }
    let file = temporary("waits.c");
    std::fs::write(&file, PETERSON).expect("the file can be written");
    for me in ["flag[0]", "flag[1]"] {
        let formula = format!("G (\"{me}\" = 1 -> F \"{me}\" = 0)");
        let asked = ["check", &file, "--ltl", &formula, "--fairness", "process", "--model", "tso"];
        assert_eq!(run(&asked).0, Exit::Proved, "{me}");
        let (exit, out, _) = run(&[&asked[..], &["--no-flush-fairness"]].concat());
        assert_eq!(exit, Exit::Violated, "{me}");
        assert!(out.contains("These never reach memory:"), "{out}");
    }
    let wakeup = from_root("examples/wakeup.c");
    let (exit, out, err) =
        run(&["fix", &wakeup, "--ltl", "F sleeper.end", "--fairness", "process", "--quiet"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(out.contains("2 full fences: minimum, proved"), "{out}");
}
