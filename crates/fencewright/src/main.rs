//! The program; see `fencewright_cli`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    fencewright_cli::main()
}
