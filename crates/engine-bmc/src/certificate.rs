//! Certificates of proofs by orders of events: how far the program is unrolled, circles of points that no execution has, and
//! lemmas by which no solution is left that violates a property, leaves what was unrolled or has a number that does not fit.
//!
//! The checker makes the program's formula anew, looks at every circle by itself, and follows the lemmas one by one
//! ([`fencewright_logic::check_refutation`]). It shares with the engine how a program becomes a formula, and neither the
//! solver nor the search for circles.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_engine::{
    CERTIFICATE_VERSION, CertifyingEngine, Context, Guarantee, NotAProof, Proof, Task, Unknown, Verdict,
    fingerprint, read_certificate, write_certificate,
};
use fencewright_ir::{Program, Property};
use fencewright_logic::{Bit, Circuit, Lemma, Literal, check_refutation};
use fencewright_memory::Model;
use serde::{Deserialize, Serialize};

use crate::Bmc;
use crate::axioms::{Axioms, Kept};
use crate::depend::dependencies;
use crate::encode::Encoding;
use crate::events::{Extent, Refused, ThreadRun};
use crate::order::{may_be_pending, shared_cell};
use crate::plan::{Circles, circuit, no_circuit, stopped_by, try_rounds};
use crate::relations::in_text_order;

/// Nobody follows loops further or needs more bits; a certificate that says so is damaged.
const MOST_ROUNDS: usize = 10_000;
const MOST_BITS: usize = 10_000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    certificate: u32,
    engine: String,
    model: String,
    /// The program, in the text form of `ir`.
    program: String,
    bound: usize,
    spare_bits: usize,
    /// Number and fingerprint of the formula's clauses.
    formula: (u32, String),
    /// Circles, then lemmas.
    steps: Vec<WireStep>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum WireStep {
    Circle(WireCircle),
    Lemma(WireLemma),
}

/// Each point is before the next one, and the last before the first, unless the clause is true.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCircle {
    id: u32,
    points: Vec<usize>,
    clause: Vec<Literal>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLemma {
    id: u32,
    clause: Vec<Literal>,
    by: Vec<u32>,
}

/// The program as a formula that has no solution but circles if no execution violates a property or is cut. The circuit keeps a
/// record.
fn formula(
    program: &Program,
    axioms: &'static Axioms,
    extent: Extent,
    mut circuit: Circuit,
) -> Result<Encoding, Refused> {
    circuit.record();
    let mut encoding = Encoding::new(program, axioms, extent, &[], circuit)?;
    let Encoding { circuit, violated, overflow, left, .. } = &mut encoding;
    circuit.require(&[*violated, *overflow, *left]);
    Ok(encoding)
}

/// How many clauses there are, and what tells them from others.
fn print(encoding: &Encoding) -> (u32, String) {
    let bytes = encoding.circuit.given().flat_map(|clause| clause.iter().chain([&0]));
    let sum = fingerprint(bytes.flat_map(|literal| literal.to_le_bytes()));
    (encoding.circuit.given().count() as u32, format!("{sum:016x}"))
}

impl CertifyingEngine for Bmc {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        let (verdict, extent) = try_rounds(task, Circles::Refused, &mut None, context)?;
        if verdict != Verdict::Holds(Guarantee::Unbounded) {
            return Err(Unknown::Imprecise);
        }
        let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
        let encoding = formula(task.program, axioms, extent, circuit(context));
        let mut encoding = encoding.map_err(|refused| no_circuit(refused, context))?;
        let base = print(&encoding);
        match encoding.solve(&[]) {
            Ok(None) => {}
            Ok(Some(_)) => unreachable!("internal error: the same question was answered otherwise"),
            Err(_) => return Err(stopped_by(context)),
        }
        let lemmas = encoding.circuit.refutation().expect("internal error: what the solver learns follows");
        let used: BTreeSet<u32> = lemmas.iter().flat_map(|lemma| lemma.by.iter().copied()).collect();
        let given: Vec<&[Literal]> = encoding.circuit.given().collect();
        let circles = (base.0 + 1..).zip(&encoding.circles).filter(|(id, _)| used.contains(id));
        let circles = circles.map(|(id, circle)| {
            let clause = given[id as usize - 1].to_vec();
            WireStep::Circle(WireCircle { id, points: circle.points.clone(), clause })
        });
        let lemma = |Lemma { id, clause, by }| WireStep::Lemma(WireLemma { id, clause, by });
        Ok(write_certificate(&Wire {
            certificate: CERTIFICATE_VERSION,
            engine: "bmc".to_owned(),
            model: task.model.name().to_owned(),
            program: fencewright_ir::text::print(task.program),
            bound: extent.bound,
            spare_bits: extent.spare_bits,
            formula: base,
            steps: circles.chain(lemmas.into_iter().map(lemma)).collect(),
        }))
    }
}

/// Checks that every circle is one and every lemma follows.
pub fn verify(text: &str) -> Result<Proof, NotAProof> {
    let form = |text: &str| NotAProof::Form(text.to_owned());
    let (wire, sealed) = read_certificate::<Wire>(text)?;
    if wire.certificate != CERTIFICATE_VERSION || wire.engine != "bmc" {
        return Err(form("another version or engine"));
    }
    let model = Model::by_name(&wire.model).ok_or_else(|| form("an unknown model"))?;
    let axioms = Axioms::of(model).ok_or_else(|| form("orders of events say nothing of its model"))?;
    let program =
        fencewright_ir::text::parse(&wire.program).map_err(|_| form("its program cannot be read"))?;
    if program.properties.iter().any(Property::is_temporal) {
        return Err(form("orders of events say nothing of a property of whole executions"));
    }
    if wire.bound > MOST_ROUNDS || wire.spare_bits > MOST_BITS {
        return Err(form("it goes further than anybody"));
    }
    let extent = Extent { bound: wire.bound, spare_bits: wire.spare_bits };
    let encoding = formula(&program, axioms, extent, Circuit::default())
        .map_err(|_| form("its program has numbers that are too wide"))?;
    if print(&encoding) != wire.formula {
        return Err(form(
            "its formula is not the program's; was it written by another version of this tool?",
        ));
    }
    let mut clauses: BTreeMap<u32, Vec<Literal>> =
        (1..).zip(encoding.circuit.given().map(<[_]>::to_vec)).collect();
    let mut lemmas = Vec::new();
    for step in wire.steps {
        match step {
            WireStep::Lemma(WireLemma { id, clause, by }) => lemmas.push(Lemma { id, clause, by }),
            WireStep::Circle(WireCircle { id, points, clause }) => {
                if !is_circle(&program, &encoding, &points, &clause) {
                    return Err(NotAProof::Missing(format!(
                        "an execution may have the orders of circle {id}"
                    )));
                }
                if clauses.insert(id, clause).is_some() {
                    return Err(form("two clauses have one name"));
                }
            }
        }
    }
    check_refutation(clauses, &lemmas).map_err(|error| NotAProof::Missing(error.to_string()))?;
    let proof = Proof { program, model, size: lemmas.len(), unit: "lemmas" };
    if sealed { Ok(proof) } else { Err(NotAProof::Changed) }
}

/// Whether each point is before the next one and the last before the first, in every execution in which all literals of the
/// clause are false.
fn is_circle(program: &Program, encoding: &Encoding, circle: &[usize], clause: &[Literal]) -> bool {
    let Encoding { points, relations, .. } = encoding;
    if circle.len() < 2 || circle.iter().any(|&p| p >= points.len()) {
        return false;
    }
    let mut known: BTreeSet<Bit> = clause.iter().filter_map(|&literal| Bit::of_literal(-literal)).collect();
    known.insert(Bit::TRUE);
    let pairs = || circle.iter().copied().zip(circle.iter().copied().cycle().skip(1));
    let is_told =
        |known: &BTreeSet<Bit>, (p, q)| relations.known(p, q).is_some_and(|bit| known.contains(&bit));
    // A `before` bit says of two points that both are there.
    let told: Vec<(usize, usize)> = pairs().filter(|&pair| is_told(&known, pair)).collect();
    known.extend(told.iter().flat_map(|&(p, q)| [points[p].done, points[q].done]));
    circle.iter().all(|&p| known.contains(&points[p].done))
        && pairs().all(|pair| told.contains(&pair) || is_kept(program, encoding, pair, &known))
}

/// Whether the model keeps two points, both of which are there, in this order, because of what is known.
fn is_kept(program: &Program, encoding: &Encoding, (p, q): (usize, usize), known: &BTreeSet<Bit>) -> bool {
    let Encoding { axioms, points, runs, observer, .. } = encoding;
    let (first, second) = (&points[p], &points[q]);
    let value = |bit: Bit| known.contains(&bit);
    if *observer == Some(q) && p != q {
        return !may_be_pending(first);
    }
    if first.thread != second.thread || p == q || !in_text_order(p, q, points, runs) {
        return false;
    }
    let by_model = match axioms.kept(first, second) {
        Kept::Always => true,
        Kept::IfSameCell => shared_cell(first, second, &value).is_some(),
        Kept::Never => false,
    };
    by_model
        || axioms.dependencies.as_ref().is_some_and(|rules| {
            let run = &runs[first.thread];
            let Some(way) = way(run, first.copy, second.copy, &value) else { return false };
            let due = dependencies(rules, program, first.thread, points, run, &way, &value);
            due.into_iter().any(|(from, to, why)| (from, to) == (p, q) && why.into_iter().all(value))
        })
}

/// The copies of edges from one to another of a thread, if what is known tells the way.
fn way(run: &ThreadRun, from: usize, to: usize, value: &dyn Fn(Bit) -> bool) -> Option<Vec<usize>> {
    let mut way = vec![to];
    let mut at = to;
    while at != from {
        let entering = &run.unrolled.nodes[run.unrolled.copies[at].from].entering;
        at = match entering[..] {
            [only] => only,
            _ => entering.iter().copied().find(|&copy| value(run.copies[copy].taken))?,
        };
        way.push(at);
    }
    way.reverse();
    Some(way)
}
