//! Small random DVE models as text.

use std::fmt::Write;

use super::Rng;

/// How large a model gets.
#[derive(Debug, Copy, Clone)]
pub struct Size {
    /// The least number of transitions of a process.
    pub transitions: usize,
    /// How many of a hundred transitions have a guard.
    pub guards: usize,
    /// Whether values may leave their types and arrays, or be divided by zero.
    pub faults: bool,
}

/// For what has to be explored with store buffers.
pub const SMALL: Size = Size { transitions: 2, guards: 60, faults: true };
/// For properties of executions that never end: an error would be one that does.
pub const TAME: Size = Size { transitions: 3, guards: 50, faults: false };
/// For plain exploration.
pub const LARGE: Size = Size { transitions: 4, guards: 30, faults: true };

/// A model. Values stay small, so that its state space does, but now and then one leaves its type or its array.
pub fn model(rng: &mut Rng, channels: bool, size: Size) -> String {
    let mut text = String::new();
    let n_processes = if size.faults { 2 + rng.below(2) } else { 2 };
    writeln!(text, "const byte K = {};", rng.below(3)).expect("writing to a string does not fail");
    text.push_str("byte x = 1, y;\nint z = -1;\nbyte a[2] = {0, 1};\n");
    if channels {
        text.push_str("channel c;\nchannel d;\nchannel {byte} f[2];\n");
    }
    for number in 0..n_processes {
        process(rng, &mut text, number, n_processes, (channels, size));
    }
    text.push_str("system async;\n");
    text
}

fn process(
    rng: &mut Rng,
    text: &mut String,
    number: usize,
    n_processes: usize,
    (channels, size): (bool, Size),
) {
    let n_states = 2 + rng.below(2);
    let states: Vec<String> = (0..n_states).map(|i| format!("s{i}")).collect();
    text.push_str(&format!("process P{number} {{\nbyte l = {};\nbyte b[2];\n", rng.below(2)));
    text.push_str(&format!("state {};\ninit s{};\n", states.join(", "), rng.below(n_states)));
    if rng.percent(25) {
        text.push_str(&format!("commit s{};\n", rng.below(n_states)));
    }
    if rng.percent(20) {
        text.push_str(&format!(
            "assert s{}: {};\n",
            rng.below(n_states),
            expression(rng, number, n_processes, 2)
        ));
    }
    let transitions: Vec<String> = (0..size.transitions + rng.below(size.transitions + 1))
        .map(|_| transition(rng, number, n_processes, n_states, (channels, size)))
        .collect();
    text.push_str(&format!("trans\n{};\n}}\n", transitions.join(",\n")));
}

fn transition(
    rng: &mut Rng,
    number: usize,
    n_processes: usize,
    n_states: usize,
    (channels, size): (bool, Size),
) -> String {
    let mut text = format!("s{} -> s{} {{ ", rng.below(n_states), rng.below(n_states));
    if rng.percent(size.guards) {
        let mut guard = expression(rng, number, n_processes, 3);
        if !size.faults {
            guard = guard.replace(" / ", " + ").replace(" % ", " - ");
        }
        text.push_str(&format!("guard {guard}; "));
    }
    if channels && rng.percent(40) {
        let sync = match rng.below(6) {
            0 => "c!".to_owned(),
            1 => "c?".to_owned(),
            2 => format!("d!{}", message(rng, number, n_processes, size)),
            3 => format!("d?{}", place(rng, number, n_processes)),
            4 => format!("f!{}", message(rng, number, n_processes, size)),
            _ => format!("f?{}", place(rng, number, n_processes)),
        };
        text.push_str(&format!("sync {sync}; "));
    }
    if rng.percent(70) {
        let effect = |rng: &mut Rng| {
            let place = place(rng, number, n_processes);
            // Most values are kept small.
            match rng.below(8) {
                0 if size.faults => format!("{place} = {}", expression(rng, number, n_processes, 3)),
                _ => format!("{place} = {}", small(rng, number, n_processes, size)),
            }
        };
        let effects: Vec<String> = (0..1 + rng.below(2)).map(|_| effect(rng)).collect();
        text.push_str(&format!("effect {}; ", effects.join(", ")));
    }
    text.push('}');
    text
}

/// A value from 0 to 3, or an error.
fn small(rng: &mut Rng, number: usize, n_processes: usize, size: Size) -> String {
    let text = expression(rng, number, n_processes, 2);
    // Without division every expression has a value.
    let text = if size.faults { text } else { text.replace(" / ", " + ").replace(" % ", " - ") };
    format!("({text}) & {}", if size.faults { 3 } else { 1 })
}

fn message(rng: &mut Rng, number: usize, n_processes: usize, size: Size) -> String {
    if size.faults { expression(rng, number, n_processes, 2) } else { small(rng, number, n_processes, size) }
}

fn place(rng: &mut Rng, number: usize, n_processes: usize) -> String {
    match rng.below(7) {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => "z".to_owned(),
        3 => format!("a[{}]", index(rng, number, n_processes)),
        4 => format!("b[{}]", index(rng, number, n_processes)),
        _ => "l".to_owned(),
    }
}

fn index(rng: &mut Rng, number: usize, n_processes: usize) -> String {
    match rng.below(5) {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        2 => "l".to_owned(),
        _ => format!("({}) & 1", expression(rng, number, n_processes, 1)),
    }
}

fn expression(rng: &mut Rng, number: usize, n_processes: usize, depth: usize) -> String {
    if depth == 0 || rng.percent(30) {
        let other = rng.below(n_processes);
        return match rng.below(10) {
            0 => "K".to_owned(),
            1 => rng.below(4).to_string(),
            2 => "x".to_owned(),
            3 => "y".to_owned(),
            4 => "z".to_owned(),
            5 => "l".to_owned(),
            6 => format!("a[{}]", index(rng, number, n_processes.min(1 + depth))),
            7 => format!("P{other}.s{}", rng.below(2)),
            8 => format!("P{other}->l"),
            _ => format!("b[{}]", rng.below(2)),
        };
    }
    let operators = [
        "+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "and", "or",
        "imply",
    ];
    let a = expression(rng, number, n_processes, depth - 1);
    match rng.below(12) {
        0 => format!("not ({a})"),
        1 => format!("-({a})"),
        2 => format!("~({a})"),
        3 => format!("({a}) << {}", rng.below(3)),
        4 => format!("({a}) >> {}", rng.below(3)),
        _ => format!("({a}) {} ({})", rng.pick(&operators), expression(rng, number, n_processes, depth - 1)),
    }
}
