//! Generated programs compile, are the same for ever, shrink, and what is planted is found.
//!
//! Compilers that are missing leave out their tests, with a message.

mod campaigns;
mod literally;
mod outcomes;
mod programs;
mod shrinking;

use fencewright_generator::Language;
use fencewright_generator::compile::Compilers;

/// The compilers for a language; `None`, with a message, if there are none.
fn compilers(language: Language) -> Option<Compilers> {
    match Compilers::new(&[language]) {
        Ok(compilers) => Some(compilers),
        Err(missing) => {
            let message = format!("{} is not tested: {missing}\n", language.name());
            std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes())
                .expect("a message can be written");
            None
        }
    }
}
