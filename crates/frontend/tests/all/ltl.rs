//! Formulae as users write them: what the operators mean, how they bind, how names are found, and what is said of wrong
//! ones. Expected formulae are built by hand from the definitions of the operators.

use fencewright_base::{Diagnostic, SourceMap};
use fencewright_frontend::{ltl, rmm};
use fencewright_ir::{CellId, Expr, Formula, LocId, Program, RegId, StateAtom, ThreadId};

const PROGRAM: &str = "forbidden CS CS
data
  p = 0 : [0:1]
  q = 0 : [0:1]
  r = 0 : [0:9]
process(2)
data
  flag = 0 : [0:1]
registers
  $v = 0 : [0:1]
text
wait:
  write: flag[my] := 1;
  read: $v := p;
CS: nop;
CS: nop;
  nop
";

fn program() -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("test.rmm", PROGRAM);
    (rmm::LANGUAGE.load)(&sources, file).expect("the program is right").program
}

fn parse(text: &str) -> Result<Formula, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("<ltl>", text);
    ltl::formula(&sources, file, &program())
}

fn good(text: &str) -> Formula {
    parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn cell(number: u32) -> Expr<StateAtom> {
    Expr::Atom(StateAtom::Cell(CellId(number)))
}

fn p() -> Formula {
    Formula::Now(cell(0))
}

fn q() -> Formula {
    Formula::Now(cell(1))
}

fn r() -> Formula {
    Formula::Now(cell(2))
}

#[test]
fn every_spelling_of_an_operator_means_the_same() {
    let spellings: [(&[&str], Formula); 12] = [
        (&["!p", "~p", "not p", "! p", "(! p)"], p().not()),
        (&["G p", "[] p", "[]p", "G(p)", "( G p )"], Formula::Const(false).release(p())),
        (&["F p", "<> p", "<>p"], Formula::Const(true).until(p())),
        (&["X p", "X(p)"], p().next()),
        (&["GF p", "G F p", "[]<>p", "[] F p"], p().finally().globally()),
        (&["p && q", "p & q", "p and q", r"p /\ q"], p().and(q())),
        (&["p || q", "p | q", "p or q", r"p \/ q"], p().or(q())),
        (&["p -> q", "p => q"], p().not().or(q())),
        (&["p <-> q", "p <=> q"], p().and(q()).or(p().not().and(q().not()))),
        (&["p U q"], p().until(q())),
        (&["p W q"], q().release(p().or(q()))),
        (&["p M q"], q().until(p().and(q()))),
    ];
    for (texts, expected) in spellings {
        for text in texts {
            assert_eq!(good(text), expected, "{text}");
        }
    }
    assert_eq!(good("p R q"), p().release(q()));
    assert_eq!(good("true U false"), Formula::Const(true).until(Formula::Const(false)));
}

#[test]
fn operators_bind_as_the_page_says() {
    let bound: [(&str, Formula); 9] = [
        ("p -> q -> r", p().implies(q().implies(r()))),
        ("p U q U r", p().until(q().until(r()))),
        ("p || q && r", p().or(q().and(r()))),
        ("p && q U r", p().and(q().until(r()))),
        ("! p U q", p().not().until(q())),
        ("G p -> F q", p().globally().implies(q().finally())),
        ("p -> q || r", p().implies(q().or(r()))),
        ("p <-> q -> r", p().equivalent(q().implies(r()))),
        ("G r == 1 + 2 * 3", Formula::Now(cell(2).eq(Expr::constant(1).add(six()))).globally()),
    ];
    fn six() -> Expr<StateAtom> {
        Expr::constant(2).binary(fencewright_ir::BinaryOp::Mul, Expr::constant(3))
    }
    for (text, expected) in bound {
        assert_eq!(good(text), expected, "{text}");
    }
}

#[test]
fn names_are_those_of_the_program() {
    let at = |loc| Expr::Atom(StateAtom::At(ThreadId(1), LocId(loc)));
    let labelled = |label: &str| -> Vec<u32> {
        let program = program();
        let locations = &program.threads[ThreadId(1)].locations;
        let has = |loc: &LocId| locations[*loc].labels.iter().any(|known| known == label);
        locations.indices().filter(has).map(|loc| loc.0).collect()
    };
    let [wait] = labelled("wait")[..] else { panic!("one location is labelled wait") };
    let [first, second] = labelled("CS")[..] else { panic!("two locations are labelled CS") };
    for text in ["P1.wait", "1.wait", "\"P1\".wait", "(P1.wait)"] {
        assert_eq!(good(text), Formula::Now(at(wait)), "{text}");
    }
    assert_eq!(good("P1.CS"), Formula::Now(at(first).or(at(second))));
    let register = Expr::Atom(StateAtom::Register(ThreadId(0), RegId(0)));
    assert_eq!(good("P0:$v = 1"), Formula::Now(register.clone().eq(Expr::constant(1))));
    assert_eq!(good("0:$v"), Formula::Now(register));
    assert_eq!(good("flag[1] != -1"), Formula::Now(cell(4).ne(negative_one())));
    fn negative_one() -> Expr<StateAtom> {
        Expr::Unary(fencewright_ir::UnaryOp::Neg, Box::new(Expr::constant(1)))
    }
    // The end of a thread is where no edge leaves.
    assert!(matches!(good("F P0.end"), Formula::Until(..)));
}

/// For every code a formula, what is said, and the text it is said of.
#[test]
fn wrong_formulae_are_refused_at_the_place() {
    let deep = "X ".repeat(200) + "p";
    let doubled = vec!["p"; 60].join(" <-> ");
    let long = vec!["p"; 500].join(" && ");
    let wrong: [(&str, &str, &str); 17] = [
        ("p ; q", "E0801", ";"),
        ("\"p", "E0801", "\"p"),
        ("", "E0802", ""),
        ("G", "E0803", "G"),
        ("p &&", "E0802", ""),
        ("p q", "E0802", "q"),
        ("(p", "E0802", ""),
        ("flag[x]", "E0802", "x"),
        ("nobody", "E0803", "nobody"),
        ("flag", "E0803", "flag"),
        ("flag[2]", "E0803", "flag[2]"),
        ("P2.CS", "E0803", "P2.CS"),
        ("P0.Crit", "E0803", "P0.Crit"),
        ("P0:v", "E0803", "P0:v"),
        ("(F p) == 1", "E0804", "(F p)"),
        ("p + (p && q)", "E0804", "(p && q)"),
        ("1 < (X p)", "E0804", "(X p)"),
    ];
    for (text, code, at) in wrong {
        let errors = parse(text).expect_err(text);
        let span = errors[0].primary.span;
        assert_eq!(
            (errors[0].code.name, &text[span.start as usize..span.end as usize]),
            (code, at),
            "{text}"
        );
    }
    for text in [&deep, &doubled, &long] {
        assert_eq!(parse(text).expect_err("too deep")[0].code.name, "E0805");
    }
    let named: std::collections::BTreeSet<&str> =
        wrong.iter().map(|(_, code, _)| *code).chain(["E0805"]).collect();
    let all: std::collections::BTreeSet<&str> = ltl::CODES.iter().map(|code| code.name).collect();
    assert_eq!(named, all, "every code is given by some formula");
}

/// Cuts and splices of a formula that uses everything: a formula or diagnostics, no panic, no endless time.
#[test]
fn garbage_gives_diagnostics_and_no_panic() {
    let text =
        "[](P0.wait -> <> (P0:$v == 1 || !flag[0] U r <= 3 * -2)) <-> GF (p W q) && (q M \"p\") R true";
    assert!(parse(text).is_ok());
    let chars: Vec<char> = text.chars().collect();
    let junk: Vec<char> = "()[]<>-=!&|:.\"@GFXURWM $0ä\u{0}".chars().collect();
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut taken = 0;
    for _ in 0..5_000 {
        let mut garbled = chars.clone();
        for _ in 0..=random(3) {
            let at = random(garbled.len());
            match random(3) {
                0 => garbled[at] = junk[random(junk.len())],
                1 => garbled.truncate(at + 1),
                _ => {
                    let from = random(garbled.len());
                    garbled.swap(at, from);
                }
            }
        }
        taken += usize::from(parse(&garbled.into_iter().collect::<String>()).is_ok());
    }
    assert!(taken > 50, "only {taken} garbled formulae were still formulae");
}
