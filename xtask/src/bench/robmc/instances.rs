//! The programs: one of `bench/robmc` with the innocent fragment of Fig. 2 in both threads.
//!
//! A template is a C program with four marked places. For a size `n` the first thread gets `n` times "write `xᵢ`, add `yᵢ`
//! to a sum", the second the same with `x` and `y` changed, and `main` says in the end that the sums are not negative. The
//! statements are written out: a loop would be one pair of statements however often it is gone through.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::shell::{root, target};

/// The programs of the paper, by the names of their files.
pub(crate) const PROGRAMS: [&str; 7] =
    ["dekker", "peterson", "lamport", "dijkstra", "szymanski", "chase-lev", "cilk"];

/// The sizes of the paper.
pub(crate) fn sizes() -> impl Iterator<Item = usize> + Clone {
    (2..=40).step_by(2)
}

/// Writes the program of that size beside what cargo builds.
pub(crate) fn write(program: &str, n: usize) -> Result<PathBuf> {
    let template = root().join("bench/robmc").join(format!("{program}.c"));
    let text = std::fs::read_to_string(&template).with_context(|| template.display().to_string())?;
    let folder = target().join("robmc");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{program}-{n}.c"));
    std::fs::write(&file, instance(&text, n).with_context(|| template.display().to_string())?)?;
    Ok(file)
}

fn instance(template: &str, n: usize) -> Result<String> {
    let mut text = template.to_owned();
    for (mark, fragment) in [
        ("/*@ declarations */", declarations(n)),
        ("/*@ first */", innocent(n, "px", "py", "sum1")),
        ("/*@ second */", innocent(n, "py", "px", "sum2")),
        ("/*@ end */", "assert(sum1 + sum2 >= 0);".to_owned()),
    ] {
        if text.matches(mark).count() != 1 {
            bail!("`{mark}` must stand in it once");
        }
        text = text.replace(mark, &fragment);
    }
    Ok(text)
}

fn declarations(n: usize) -> String {
    let mut text = "static volatile int sum1, sum2;".to_owned();
    for i in 1..=n {
        let _ = write!(text, "\nstatic volatile int px{i}, py{i};");
    }
    text
}

fn innocent(n: usize, own: &str, other: &str, result: &str) -> String {
    let mut text = "int sum = 0;".to_owned();
    for i in 1..=n {
        let _ = write!(text, "\n    {own}{i} = 1;\n    sum += {other}{i};");
    }
    let _ = write!(text, "\n    {result} = sum;");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_takes_the_fragment() {
        for program in PROGRAMS {
            let template = root().join("bench/robmc").join(format!("{program}.c"));
            let text = std::fs::read_to_string(&template).expect("the template is there");
            let text = instance(&text, 3).expect("the marks are there");
            // Each thread writes its own three and reads the other's three.
            assert_eq!(text.matches("px2 = 1;").count(), 1, "{program}");
            assert_eq!(text.matches("sum += px2;").count(), 1, "{program}");
            assert!(!text.contains("/*@"), "{program}");
        }
        assert!(instance("int main(void) {}", 2).is_err());
    }
}
