//! One line on standard error that says how far a long run is: only on a terminal, only after a second, and gone when
//! the run ends.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use fencewright_base::Progress;

use crate::world::{ErrStream, World};

/// A run shorter than this says nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// The line is not written more often than this.
const PAUSE: Duration = Duration::from_millis(200);

/// The line, for one run.
pub(crate) struct Line<'w, 'a> {
    err: &'w ErrStream<'a>,
    /// Characters in a line; `None` if there is no terminal to show it on.
    width: Option<usize>,
    title: String,
    state: Mutex<Shown>,
}

struct Shown {
    start: Instant,
    last: Option<Instant>,
}

impl<'w, 'a> Line<'w, 'a> {
    /// A line for the run that `title` names.
    pub(crate) fn new(world: &'w World<'a>, title: String) -> Self {
        let width = world.err_is_terminal.then(|| world.style_err().width);
        Line { err: &world.err, width, title, state: Mutex::new(Shown { start: Instant::now(), last: None }) }
    }

    /// Shows how far the run is.
    pub(crate) fn show(&self, progress: Progress<'_>) {
        let Some(width) = self.width else { return };
        // Whoever finds another thread writing the line has nothing newer to say.
        let Ok(mut shown) = self.state.try_lock() else { return };
        let now = Instant::now();
        let elapsed = now.duration_since(shown.start);
        if elapsed < PATIENCE || shown.last.is_some_and(|last| now.duration_since(last) < PAUSE) {
            return;
        }
        shown.last = Some(now);
        let text = line_text(&self.title, progress, elapsed);
        // A full line would make the terminal scroll.
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        self.err.write(&format!("\r\x1b[K{text}"));
    }
}

impl Drop for Line<'_, '_> {
    fn drop(&mut self) {
        let shown = self.state.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        if shown.last.is_some() {
            self.err.write("\r\x1b[K");
        }
    }
}

fn line_text(
    title: &str,
    Progress { phase, states, frontier, bytes }: Progress<'_>,
    elapsed: Duration,
) -> String {
    let rate = states as f64 / elapsed.as_secs_f64();
    format!(
        "{title}: {phase}, {states} states ({rate:.0}/s), {frontier} to do, {} MiB, {} s",
        bytes >> 20,
        elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_phase_states_rate_and_memory() {
        let progress = Progress { phase: "buffers up to 2", states: 3000, frontier: 10, bytes: 5 << 20 };
        assert_eq!(
            line_text("a.rmm under TSO", progress, Duration::from_secs(2)),
            "a.rmm under TSO: buffers up to 2, 3000 states (1500/s), 10 to do, 5 MiB, 2 s"
        );
    }
}
