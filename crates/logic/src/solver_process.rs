//! A solver that runs as a process and speaks SMT-LIB 2 over its standard streams: a command in, an answer out.
//!
//! Answers are read by a thread of their own, so that whoever waits for one can be told to stop. Then the process is killed: a
//! solver that is deep in a question listens to nobody. It is killed, too, when this value goes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use easy_smt::{Context, SExpr};

use crate::smt::SmtError;

/// How often it is asked whether to stop.
const PAUSE: Duration = Duration::from_millis(20);

/// A running solver.
pub(crate) struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    /// Starts the program and has it acknowledge every command.
    pub(crate) fn start(program: &Path) -> std::io::Result<Process> {
        let mut child = Command::new(program)
            .args(["-smt2", "-in"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let gone = || std::io::Error::other("it has no pipes");
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, stdin, lines })
    }

    /// The answer to a command. Without one within the limit, or when `stop` says so, the process is killed and the question
    /// stays undecided.
    pub(crate) fn ask(
        &mut self,
        command: &str,
        limit: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<String, SmtError> {
        let failed = |error: std::io::Error| SmtError::Failed(error.to_string());
        writeln!(self.stdin, "{command}").and_then(|()| self.stdin.flush()).map_err(failed)?;
        let start = Instant::now();
        let mut answer = String::new();
        loop {
            match self.lines.recv_timeout(PAUSE) {
                Ok(line) => {
                    answer.push_str(&line);
                    answer.push('\n');
                    if is_whole(&answer) {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SmtError::Failed("it ended without an answer".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if start.elapsed() > limit || stop() {
                let _ = self.child.kill();
                return Err(SmtError::Undecided);
            }
        }
    }

    /// Has a command done that has no answer but `success`.
    pub(crate) fn order(
        &mut self,
        command: &str,
        limit: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), SmtError> {
        match self.ask(command, limit, stop)?.trim() {
            "success" => Ok(()),
            other => Err(SmtError::Failed(other.to_owned())),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A part of an answer.
#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Open,
    Close,
    Word(&'t str),
}

/// The parts of an answer; the last may be cut off, if it is a quoted one.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '(' | ')' => {
                found.push(if first == '(' { Token::Open } else { Token::Close });
                rest = rest[1..].trim_start();
                continue;
            }
            '"' | '|' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        found.push(Token::Word(&rest[..end]));
        rest = rest[end..].trim_start();
    }
    found
}

/// Whether it is a whole expression.
fn is_whole(answer: &str) -> bool {
    let quotes = answer.matches('"').count();
    let found = tokens(answer);
    let depth: i64 = found
        .iter()
        .map(|token| match token {
            Token::Open => 1,
            Token::Close => -1,
            Token::Word(_) => 0,
        })
        .sum();
    !found.is_empty() && depth <= 0 && quotes.is_multiple_of(2)
}

/// An answer as an expression.
pub(crate) fn read(context: &Context, answer: &str) -> Option<SExpr> {
    let mut open: Vec<Vec<SExpr>> = vec![Vec::new()];
    for token in tokens(answer) {
        match token {
            Token::Open => open.push(Vec::new()),
            Token::Close => {
                let list = open.pop()?;
                let list = context.list(list);
                open.last_mut()?.push(list);
            }
            Token::Word(word) => open.last_mut()?.push(context.atom(word)),
        }
    }
    match open.pop()?.as_slice() {
        [only] if open.is_empty() => Some(*only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use easy_smt::ContextBuilder;

    #[test]
    fn an_answer_may_take_several_lines() {
        for part in ["", "(", "((v0 5)\n", "(error \"line 1 (\n", "(define-fun |a (b| () Int\n"] {
            assert!(!is_whole(part), "{part:?}");
        }
        for whole in ["sat\n", "((v0 5)\n (v1 (- 3)))\n", "(error \"a ( b\")\n"] {
            assert!(is_whole(whole), "{whole:?}");
        }
        let context = ContextBuilder::new().without_solver().build().expect("it needs nothing");
        let answer = read(&context, "((v0 5)\n (v1 (- 3)))\n").expect("an expression");
        assert_eq!(context.display(answer).to_string(), "((v0 5) (v1 (- 3)))");
        assert_eq!(read(&context, "(a"), None);
        assert_eq!(read(&context, "a b"), None);
    }

    /// A solver that never answers.
    #[cfg(unix)]
    #[test]
    fn a_process_that_says_nothing_is_killed() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("fencewright-mute-{}", std::process::id()));
        std::fs::write(&path, "#!/bin/sh\nexec sleep 60\n").expect("the file can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
        let long = Duration::from_secs(40);
        for (limit, stop) in [(Duration::from_millis(50), false), (long, true)] {
            let start = Instant::now();
            let mut process = Process::start(&path).expect("it starts");
            assert_eq!(process.ask("(check-sat)", limit, &|| stop), Err(SmtError::Undecided));
            drop(process);
            assert!(start.elapsed() < long, "it was waited for");
        }
        let _ = std::fs::remove_file(&path);
    }
}
