//! Checks LLVM IR files on the literal machine: `cargo run --example check -- tso file.ll…`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a tool for the developer's terminal"
)]
use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine_literal::replay::replay;
use fencewright_engine_literal::search::{Question, Verdict, search};
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_llvm::parse::Module;

fn main() {
    let mut args = std::env::args().skip(1);
    let model = match args.next().as_deref() {
        Some("sc") => Model::Sc,
        Some("pso") => Model::Pso,
        _ => Model::Tso,
    };
    for file in args {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let modules: Vec<Module<'_>> = [&text[..], fencewright_literal::PRELUDE]
            .iter()
            .filter_map(|text| Module::parse(text).ok())
            .collect();
        let program = Program::new(&modules).expect("links");
        let budget = Budget { time: Some(std::time::Duration::from_secs(60)), ..Budget::default() };
        let meter = Meter::start(budget, CancelToken::new());
        let question = Question {
            settings: Settings::new(model),
            fixed_buffer: None,
            observed: None,
            progress: &|_| {},
        };
        let found = search(&program, &question, &meter);
        let s = found.statistics;
        let word = match &found.verdict {
            Verdict::Violated(trace) => {
                let replayed = replay(&program, trace);
                match replayed {
                    Ok(execution) => {
                        if std::env::var_os("STACKS").is_some() {
                            for (number, thread) in execution
                                .performed
                                .last()
                                .map(|done| &done.after.threads)
                                .into_iter()
                                .flatten()
                                .enumerate()
                            {
                                println!("T{number} {:?}", thread.status);
                                for frame in thread.frames.iter().rev() {
                                    let at = frame.function.code[frame.pc as usize].at;
                                    println!(
                                        "   {} : {}",
                                        fencewright_llvm::names::readable(
                                            &program.function_name(frame.function.number)
                                        ),
                                        &text.get(at.0 as usize..at.1 as usize).unwrap_or("")
                                    );
                                }
                            }
                        }
                        for done in &execution.performed {
                            for event in &done.events {
                                if std::env::var_os("EVENTS").is_some() {
                                    println!("   T{} {:?}", event.thread, event.what);
                                }
                            }
                        }
                        format!(
                            "violated {:?} by T{} after {} actions",
                            execution.violation.map(|v| v.fault),
                            trace.violation.thread,
                            trace.actions.len()
                        )
                    }
                    Err(error) => format!("REPLAY {error}"),
                }
            }
            Verdict::Refused(refusal) => format!("refused {} {:?}", refusal, refusal.help),
            other => format!("{other:?}"),
        };
        println!(
            "{file}: {word}; {} states {} transitions {:.2} s {:.0}/s {} B/state buffer {} {:?}",
            s.states,
            s.transitions,
            s.seconds,
            s.states as f64 / s.seconds,
            s.bytes / s.states.max(1),
            s.longest_buffer,
            found.partly
        );
    }
}
