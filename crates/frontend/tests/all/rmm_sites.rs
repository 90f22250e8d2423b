//! A fence written into the text at a site gives the same program as the edit of the program at that site. This ties
//! `Statement::span`, the labels and the room for fences that lowering gives to what they mean.

use fencewright_frontend::rmm::LANGUAGE;
use fencewright_ir::{FenceKind, Side, edit, sites};

use crate::common::{load, same};
use crate::rmm_valid::VALID;

#[test]
fn a_fence_in_the_text_is_the_fence_of_the_edit() {
    let mut n_sites = 0;
    for text in VALID {
        let (_, _, program) = load(&LANGUAGE, text);
        for site in sites(&program) {
            let statement = &program.statements[site.statement];
            if statement.text.starts_with("slocked") {
                continue; // Two steps, so the edit puts a fence between them, too. It adds nothing to the one behind.
            }
            let span = statement.span.unwrap();
            let (start, end) = (span.start as usize, span.end as usize);
            // Braces, because the statement may be the whole branch of an `if`.
            let inside = match site.side {
                Side::Before => format!("fence; {}", &text[start..end]),
                Side::After => format!("{}; fence", &text[start..end]),
            };
            let patched = format!("{}{{ {inside} }}{}", &text[..start], &text[end..]);
            let (_, _, patched) = load(&LANGUAGE, &patched);
            let edited = edit::insert_fence(&program, site, FenceKind::Full);
            for (patched, edited) in patched.threads.iter().zip(&edited.threads) {
                assert!(same([patched, edited]), "{site:?} at `{}` of\n{text}", statement.text);
            }
            let other = edit::insert_fence(&program, site, FenceKind::StoreStore);
            let told_apart = other.threads.iter().zip(&edited.threads).any(|(a, b)| !same([a, b]));
            assert!(told_apart, "the comparison sees no fence at `{}`", statement.text);
            n_sites += 1;
        }
    }
    assert!(n_sites >= 50, "{n_sites} sites");
}
