//! Every output format on hand-made answers.

use fencewright_base::{Code, Diagnostic, Int, SourceMap, Span, Stop};
use fencewright_engine::{Bounds, Feature, Guarantee, Outcome, Outcomes, Unknown, Verdict};
use fencewright_ir::{FenceKind, Side, Site, StatementId};
use fencewright_memory::{Model, replay};
use fencewright_report::cause::{Cause, cause};
use fencewright_report::json::{self, WireDiagnostic, WireTest};
use fencewright_report::litmus_log::Log;
use fencewright_report::terminal::{self, Style};
use fencewright_report::{Advice, AdvisedPlace, ModelResult, Report, diagnostics, dot, trace_file};

use crate::common::{
    Act::{self, F, S},
    Do, PLAIN, Sample, answered, message_passing, report, sample, statistics, store_buffering, trace,
    violated, with_outcome,
};

fn details(sample: &Sample, result: ModelResult) -> String {
    let report = report(sample, vec![result]);
    terminal::details(&report, &report.results[0], PLAIN)
}

/// Both writes wait until the end; the second thread's could have gone at once.
fn sb_acts() -> Vec<Act> {
    vec![S(0), S(0), S(0), S(1), S(1), S(1)]
}

/// The result with this fence advised between the first two statements.
fn advised(result: ModelResult, kind: FenceKind) -> ModelResult {
    let place = AdvisedPlace::Between(StatementId(0), StatementId(1));
    ModelResult { advice: Some(Advice { kind, place }), ..result }
}

#[test]
fn store_buffering_under_tso() {
    let sample = store_buffering();
    let result = violated(&sample, trace(Model::Tso, &sb_acts()));
    insta::assert_snapshot!(details(&sample, advised(result, FenceKind::Full)));
}

/// What is advised is what the caller found, and nothing else.
#[test]
fn a_fence_is_named_only_if_one_is_advised() {
    let sample = store_buffering();
    let result = violated(&sample, trace(Model::Tso, &sb_acts()));
    assert!(!details(&sample, result.clone()).contains("would have stopped it"));
    let place = AdvisedPlace::At(Site { statement: StatementId(1), side: Side::Before });
    let elsewhere = ModelResult { advice: Some(Advice { kind: FenceKind::StoreStore, place }), ..result };
    let text = details(&sample, elsewhere);
    let statement = &sample.program.statements[StatementId(1)].text;
    let expected = format!("  A store-store fence before `{statement}` (line 2) would have stopped it.\n\n");
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn message_passing_under_pso() {
    let sample = message_passing();
    let acts = [S(0), S(0), F(0, 1), S(1), S(1), S(1), S(1), F(0, 0)];
    let result = violated(&sample, trace(Model::Pso, &acts));
    insta::assert_snapshot!(details(&sample, advised(result, FenceKind::StoreStore)));
}

#[test]
fn a_violation_under_sc_needs_no_reordering() {
    let sample = sample(&["x"], &[vec![("write: x := 1", Do::Write(0, 1))], vec![("read: x", Do::Read(0))]]);
    let acts = [S(0), F(0, 0), S(1)];
    insta::assert_snapshot!(details(&sample, violated(&sample, trace(Model::Tso, &acts))));
}

#[test]
fn one_thread_reads_its_own_buffer_and_fails_an_assertion() {
    let statements = vec![
        ("write: x := 7", Do::Write(0, 7)),
        ("write: x := 123456789012", Do::Write(0, 123_456_789_012)),
        (
            "read: x into a register whose statement is far too long for its column to be shown whole",
            Do::Read(0),
        ),
        ("assert: it is zero", Do::Assert(0)),
    ];
    let sample = sample(&["x"], &[statements]);
    insta::assert_snapshot!(details(
        &sample,
        violated(&sample, trace(Model::Tso, &[S(0), S(0), S(0), S(0)]))
    ));
}

/// As many threads, each writing and reading.
fn crowd(n: usize) -> (Sample, Vec<Act>) {
    let threads: Vec<_> = (0..n)
        .map(|_| {
            vec![("write: x := 1", Do::Write(0, 1)), ("fence", Do::StoreFence), ("read: x", Do::Read(0))]
        })
        .collect();
    let acts = (0..n as u32).flat_map(|t| [S(t), S(t), F(t, 0), S(t)]).collect();
    (sample(&["x"], &threads), acts)
}

#[test]
fn six_threads_have_columns_and_seven_a_list() {
    let text = |n: usize| {
        let (sample, acts) = crowd(n);
        let report = report(&sample, vec![violated(&sample, trace(Model::Pso, &acts))]);
        terminal::details(&report, &report.results[0], Style { width: 120, ..PLAIN })
    };
    insta::assert_snapshot!("six_threads", text(6));
    insta::assert_snapshot!("seven_threads", text(7));
}

#[test]
fn an_outcome_shows_its_values() {
    let sample = with_outcome(store_buffering());
    let mut acts = sb_acts();
    acts.extend([F(0, 0), F(1, 1)]);
    let result = violated(&sample, trace(Model::Tso, &acts));
    insta::assert_snapshot!(details(&sample, advised(result, FenceKind::Full)));
}

#[test]
fn verdicts_without_an_execution() {
    let sample = store_buffering();
    let stopped = |stop, buffer: Option<usize>| {
        let explored = buffer.map(|n| Bounds { buffer: Some(n), ..Bounds::default() });
        Verdict::Unknown(Unknown::Stopped { stop, explored })
    };
    let unsupported = Unknown::Unsupported {
        feature: Feature::OpenValue("x".into()),
        span: Some(Span::new(sample.sources.files().next().expect("a file").0, 0, 5)),
    };
    let verdicts = [
        (Model::Sc, Verdict::Holds(Guarantee::Unbounded)),
        (Model::Tso, Verdict::Holds(Guarantee::Unbounded)),
        (Model::Pso, Verdict::Holds(Guarantee::UpTo(Bounds { buffer: Some(1), ..Bounds::default() }))),
        (Model::Tso, stopped(Stop::Time, Some(2))),
        (Model::Tso, stopped(Stop::Memory, None)),
        (Model::Tso, stopped(Stop::States, None)),
        (Model::Tso, stopped(Stop::Cancelled, Some(1))),
        (Model::Tso, Verdict::Unknown(Unknown::Imprecise)),
        (Model::Tso, Verdict::Unknown(unsupported)),
    ];
    let texts: Vec<String> =
        verdicts.into_iter().map(|(model, verdict)| details(&sample, answered(model, verdict))).collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn a_program_without_a_property_is_explored() {
    let mut sample = store_buffering();
    sample.program.properties.clear();
    assert_eq!(
        details(&sample, answered(Model::Tso, Verdict::Holds(Guarantee::Unbounded))),
        "sample.rmm under TSO: EXPLORED — 1,234 states, 1 transition; the file states no property to check\n  \
         explicit: 1,234 states, 1 transition, longest buffer 2, 250 ms\n"
    );
    let bounds = Bounds { buffer: Some(2), ..Bounds::default() };
    let bounded = answered(Model::Tso, Verdict::Holds(Guarantee::UpTo(bounds)));
    let text = details(&sample, bounded.clone());
    assert!(
        text.contains("EXPLORED — 1,234 states, 1 transition with at most 2 writes per buffer;"),
        "{text}"
    );
    let unbounded = answered(Model::Tso, Verdict::Holds(Guarantee::Unbounded));
    let json = json::check(&[report(&sample, vec![unbounded, bounded])], Vec::new());
    validate(&schema("check-1.json"), &json);
    assert_eq!(json.matches("\"verdict\": \"explored\"").count(), 2, "{json}");
}

#[test]
fn a_proof_names_its_abstraction() {
    let sample = store_buffering();
    let mut result = answered(Model::Tso, Verdict::Holds(Guarantee::Unbounded));
    result.answer.engine = "coherence";
    result.answer.statistics.abstraction = Some("pd:1".to_owned());
    let json = json::check(&[report(&sample, vec![result.clone()])], Vec::new());
    let text = details(&sample, result);
    assert!(text.contains("\n  coherence pd:1: 1,234 states"), "{text}");
    assert!(json.contains("\"abstraction\": \"pd:1\""), "{json}");
}

#[test]
fn several_models_make_a_table() {
    let sample = store_buffering();
    let results = vec![
        answered(Model::Sc, Verdict::Holds(Guarantee::Unbounded)),
        violated(&sample, trace(Model::Tso, &sb_acts())),
        answered(
            Model::Pso,
            Verdict::Holds(Guarantee::UpTo(Bounds { buffer: Some(1), ..Bounds::default() })),
        ),
    ];
    let one = report(&sample, results.clone());
    let other = Report { file: "another_name.rmm", ..report(&sample, results) };
    assert_eq!(
        terminal::matrix(&[one, other], PLAIN),
        "file              SC        TSO       PSO\n\
         sample.rmm        HOLDS     VIOLATED  BOUNDED\n\
         another_name.rmm  HOLDS     VIOLATED  BOUNDED\n"
    );
}

/// Removes `ESC [ … m`.
fn without_color(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn color_changes_nothing_but_the_color() {
    let sample = store_buffering();
    let report = report(&sample, vec![violated(&sample, trace(Model::Tso, &sb_acts()))]);
    let colored = Style { color: true, ..PLAIN };
    for render in [terminal::details, terminal::headline] {
        let plain = render(&report, &report.results[0], PLAIN);
        let bright = render(&report, &report.results[0], colored);
        assert!(bright.contains("\x1b[1;31mVIOLATED\x1b[0m"));
        assert_eq!(without_color(&bright), plain);
    }
    let reports = [report];
    assert_eq!(without_color(&terminal::matrix(&reports, colored)), terminal::matrix(&reports, PLAIN));
}

#[test]
fn lines_keep_to_the_width_that_was_asked_for() {
    let (sample, acts) = crowd(6);
    let report = report(&sample, vec![violated(&sample, trace(Model::Pso, &acts))]);
    for width in [80, 100, 140] {
        let text = terminal::details(&report, &report.results[0], Style { width, ..PLAIN });
        // The first and the last line are one line each, however long.
        let n_lines = text.lines().count();
        for line in text.lines().take(n_lines - 1).skip(1) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

fn the_cause(sample: &Sample, model: Model, acts: &[Act]) -> Cause {
    let trace = trace(model, acts);
    let execution = replay(&sample.program, &trace).expect("the execution is possible");
    cause(&sample.program, &trace, &execution)
}

#[test]
fn a_write_that_waits_for_no_reason_is_not_blamed() {
    // The first thread's write could have gone to memory at once: nobody looks at `z` before its end.
    let sample = sample(
        &["x", "y", "z"],
        &[
            vec![
                ("z := 1", Do::Write(2, 1)),
                ("x := 1", Do::Write(0, 1)),
                ("read y", Do::Read(1)),
                ("assume 0", Do::Guard(0)),
            ],
            vec![("y := 1", Do::Write(1, 1)), ("read x", Do::Read(0)), ("assume 0", Do::Guard(0))],
        ],
    );
    let acts = [S(0), S(0), S(0), S(0), S(1), F(1, 1), S(1), S(1)];
    let Cause::Overtaken(pair) = the_cause(&sample, Model::Pso, &acts) else {
        panic!("something is overtaken")
    };
    assert_eq!((pair.write, pair.overtaken_by, pair.by_read), (1, 2, true));
}

#[test]
fn of_a_step_that_reads_and_writes_that_part_is_blamed_which_others_see() {
    // Taking the lock overtakes the data. The other thread learns of it by reading the lock, if only to take it too.
    let taken = |second: Vec<(&'static str, Do)>| {
        let first =
            vec![("data := 1", Do::Write(0, 1)), ("swap lock", Do::Swap(1, 1)), ("assume 0", Do::Guard(0))];
        sample(&["data", "lock"], &[first, second])
    };
    let reads = taken(vec![
        ("swap lock", Do::Swap(1, 2)),
        ("assume 1", Do::Guard(1)),
        ("read data", Do::Read(0)),
        ("assume 0", Do::Guard(0)),
    ]);
    let acts = [S(0), S(0), S(0), S(1), S(1), S(1), S(1)];
    let Cause::Overtaken(pair) = the_cause(&reads, Model::Pso, &acts) else {
        panic!("something is overtaken")
    };
    assert_eq!((pair.write, pair.overtaken_by, pair.by_read), (0, 1, false));
    // Here the other thread overwrites the lock unseen, and misses the data: what the first thread read of the lock was
    // there before.
    let writes = taken(vec![
        ("lock := 2", Do::Write(1, 2)),
        ("fence", Do::Fence),
        ("read data", Do::Read(0)),
        ("assume 0", Do::Guard(0)),
    ]);
    let acts = [S(0), S(0), S(0), S(1), F(1, 1), S(1), S(1), S(1)];
    let Cause::Overtaken(pair) = the_cause(&writes, Model::Pso, &acts) else {
        panic!("something is overtaken")
    };
    assert_eq!((pair.write, pair.overtaken_by, pair.by_read), (0, 1, true));
}

#[test]
fn a_fence_away_from_sc_nothing_is_blamed() {
    let sample = sample(
        &["x", "y"],
        &[vec![("x := 1", Do::Write(0, 1)), ("fence", Do::Fence), ("read y", Do::Read(1))], vec![]],
    );
    assert_eq!(the_cause(&sample, Model::Tso, &[S(0), F(0, 0), S(0), S(0)]), Cause::AlsoUnderSc);
    // Nothing to explain where writes are not delayed.
    assert_eq!(the_cause(&sample, Model::Sc, &[S(0), S(0), S(0)]), Cause::Nothing);
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = format!("{}/../../docs/json-schema/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the schema is there");
    jsonschema::validator_for(&serde_json::from_str(&text).expect("the schema is JSON"))
        .expect("the schema is one")
}

fn validate(schema: &jsonschema::Validator, text: &str) {
    let value = serde_json::from_str(text).expect("the output is JSON");
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
}

static CODE: Code = Code { name: "E0103", title: "something else was expected", explanation: "" };

fn diagnostic() -> (Diagnostic, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("bad.rmm", "data\n  x := 1\nprocess\n");
    let diagnostic = Diagnostic::error(&CODE, Span::new(file, 9, 11), "expected `=`, found `:=`")
        .label("expected `=`")
        .also(Span::new(file, 0, 4), "in this section")
        .help("initial values are written `x = 1`");
    (diagnostic, sources)
}

#[test]
fn diagnostics_look_like_those_of_rustc() {
    let (diagnostic, sources) = diagnostic();
    insta::assert_snapshot!(diagnostics::render(&diagnostic, &sources, PLAIN));
    let bright = diagnostics::render(&diagnostic, &sources, Style { color: true, ..PLAIN });
    assert!(bright.contains("\x1b["));
}

#[test]
fn a_diagnostic_at_the_end_or_outside_of_its_text_is_shown_all_the_same() {
    let (mut diagnostic, sources) = diagnostic();
    let end = sources.file(diagnostic.primary.span.file).text().len();
    for (start, stop) in [(end, end), (end, end + 50), (end + 7, end + 9)] {
        diagnostic.primary.span = Span::new(diagnostic.primary.span.file, start, stop);
        assert!(diagnostics::render(&diagnostic, &sources, PLAIN).contains("expected `=`"));
    }
}

#[test]
fn json_of_a_violation() {
    let sample = store_buffering();
    let text =
        json::check(&[report(&sample, vec![violated(&sample, trace(Model::Tso, &sb_acts()))])], Vec::new());
    insta::assert_snapshot!(text);
}

#[test]
fn json_follows_its_schema() {
    let schema = schema("check-1.json");
    let sample = store_buffering();
    let (diagnostic, sources) = diagnostic();
    let verdicts = [
        Verdict::Holds(Guarantee::Unbounded),
        Verdict::Holds(Guarantee::UpTo(Bounds { buffer: None, ..Bounds::default() })),
        Verdict::Unknown(Unknown::Imprecise),
        Verdict::Unknown(Unknown::Stopped {
            stop: Stop::Time,
            explored: Some(Bounds { buffer: Some(3), ..Bounds::default() }),
        }),
        Verdict::Unknown(Unknown::Unsupported { feature: Feature::Threads(99), span: None }),
    ];
    let mut results: Vec<ModelResult> =
        verdicts.into_iter().map(|verdict| answered(Model::Pso, verdict)).collect();
    results.push(violated(&sample, trace(Model::Tso, &sb_acts())));
    validate(&schema, &json::check(&[report(&sample, results)], Vec::new()));
    for (sample, result) in odd() {
        let several = [report(&sample, vec![result.clone()]), report(&sample, vec![result])];
        validate(&schema, &json::check(&several, Vec::new()));
    }
    let complaints = vec![
        WireDiagnostic::new(&diagnostic, &sources),
        WireDiagnostic::about_file("no.rmm", "cannot be read".into()),
    ];
    validate(&schema, &json::check(&[], complaints));
}

/// Executions of unusual shape.
fn odd() -> Vec<(Sample, ModelResult)> {
    let mut shapes = Vec::new();
    let mut add = |sample: Sample, model, acts: &[Act]| {
        let result = violated(&sample, trace(model, acts));
        shapes.push((sample, result));
    };
    add(sample(&[], &[vec![], vec![]]), Model::Sc, &[]);
    add(sample(&["x"], &[vec![("assert", Do::Assert(1))]]), Model::Slot, &[S(0)]);
    add(sample(&["x"], &[vec![("r := 1 / r", Do::Divide)]]), Model::Pso, &[S(0)]);
    let big =
        vec![("x := big", Do::Write(0, i64::MIN)), ("fence", Do::StoreFence), ("x := 1", Do::Write(0, 1))];
    let mut sample_of_big = sample(&["a very long name of a variable"], &[big]);
    sample_of_big.program.statements.iter_mut().for_each(|statement| statement.span = None);
    for statement in sample_of_big.program.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        if let fencewright_ir::Op::Write { value, .. } = &mut statement.step.ops[0] {
            *value = fencewright_ir::Expr::Const("123456789012345678901234567890".parse().expect("a number"));
        }
    }
    add(sample_of_big, Model::Pso, &[S(0), S(0), S(0)]);
    let (crowd, acts) = crowd(9);
    add(crowd, Model::Tso, &acts);
    shapes
}

#[test]
fn odd_executions_are_shown_without_a_panic() {
    for (sample, result) in odd() {
        let report = report(&sample, vec![result]);
        for width in [0, 1, 40, 100, 1000] {
            let text = terminal::details(&report, &report.results[0], Style { width, ..PLAIN });
            assert!(text.contains("VIOLATED"), "{text}");
        }
        assert!(dot::render(&sample.program, &sample.sources).starts_with("digraph"));
    }
}

#[test]
fn json_gives_the_execution_back() {
    let mut cases = odd();
    let sample = store_buffering();
    let result = violated(&sample, trace(Model::Tso, &sb_acts()));
    cases.push((sample, result));
    for (sample, result) in cases {
        let Verdict::Violated(expected) = result.answer.verdict.clone() else {
            unreachable!("all are violated")
        };
        let text = json::check(&[report(&sample, vec![result])], Vec::new());
        assert_eq!(trace_file::parse(&text, &sample.program, None), Ok(expected));
        let other = if text.contains("\"model\": \"sc\"") { Model::Tso } else { Model::Sc };
        assert_eq!(
            trace_file::parse(&text, &sample.program, Some(other)),
            Err(trace_file::TraceError::NoTrace)
        );
    }
}

#[test]
fn an_execution_of_another_text_is_refused() {
    let sample = store_buffering();
    let text =
        json::check(&[report(&sample, vec![violated(&sample, trace(Model::Tso, &sb_acts()))])], Vec::new());
    let refused = |text: &str| {
        trace_file::parse(text, &sample.program, None).expect_err("it is no execution").to_string()
    };
    assert_eq!(
        refused(&text.replace("write: y := 1", "write: y := 2")),
        "it belongs to another text of the program: action 3 is `write: y := 2`, but the program has \
         `write: y := 1` there"
    );
    assert_eq!(refused(&text.replace("\"edge\": 2", "\"edge\": 77")), "action 2: thread P0 has no edge 77");
    assert_eq!(
        refused(&text.replace("\"tso\"", "\"arm\"")),
        "it names the memory model `arm`, which does not exist"
    );
    assert!(refused("{}").starts_with("it is not the JSON that `check` writes: missing field `results`"));
    assert!(refused("not json").starts_with("it is not the JSON that `check` writes"));
}

fn outcomes(values: &[(&[i64], bool)]) -> Outcomes {
    Outcomes {
        outcomes: values
            .iter()
            .map(|(values, satisfies)| Outcome {
                values: values.iter().map(|&value| Int::from(value)).collect(),
                satisfies: *satisfies,
                witness: trace(Model::Tso, &[]),
            })
            .collect(),
        guarantee: Guarantee::Unbounded,
        statistics: statistics(),
    }
}

#[test]
fn the_log_of_a_litmus_test_is_herds() {
    let sample = with_outcome(store_buffering());
    let found = outcomes(&[(&[1, 1, 0], false), (&[1, 0, 0], true), (&[1, 0, 1], false)]);
    let log = Log::new(&sample.program, &sample.program.properties[0], &found).expect("it asks for outcomes");
    assert_eq!(
        log.to_string(),
        "Test sample Allowed\n\
         States 3\n\
         0:$r=0; 1:$r=0; [x]=1;\n\
         0:$r=0; 1:$r=1; [x]=1;\n\
         0:$r=1; 1:$r=0; [x]=1;\n\
         Ok\n\
         Witnesses\n\
         Positive: 1 Negative: 2\n\
         Condition exists (0:$r=0 /\\ 1:$r=0)\n\
         Observation sample Sometimes 1 2\n\
         \n"
    );
    let test = WireTest::ran("sb.litmus", "tso", &log, &Guarantee::Unbounded, 0.5);
    let stopped = Unknown::Stopped { stop: Stop::Memory, explored: None };
    let other = WireTest::stopped("SB", "sb.litmus", "pso", &stopped, 0.0);
    validate(&schema("litmus-1.json"), &json::litmus(vec![test, other], Vec::new()));
}

#[test]
fn quantifiers_say_ok_each_in_its_way() {
    use fencewright_ir::{Property, Quantifier};
    let mut sample = with_outcome(store_buffering());
    for (wanted, kind, found, ok, witnesses, observation) in [
        (Quantifier::Exists, "Allowed", [false, false], "No", "Positive: 0 Negative: 2", "Never 0 2"),
        (Quantifier::NotExists, "Forbidden", [false, false], "Ok", "Positive: 2 Negative: 0", "Never 0 2"),
        (Quantifier::NotExists, "Forbidden", [true, false], "No", "Positive: 1 Negative: 1", "Sometimes 1 1"),
        (Quantifier::Forall, "Required", [true, true], "Ok", "Positive: 2 Negative: 0", "Always 2 0"),
        (Quantifier::Forall, "Required", [true, false], "No", "Positive: 1 Negative: 1", "Sometimes 1 1"),
    ] {
        let Property::Final { quantifier, .. } = &mut sample.program.properties[0] else { unreachable!() };
        *quantifier = wanted;
        let found = outcomes(&[(&[0, 0, 0], found[0]), (&[0, 0, 1], found[1])]);
        let log =
            Log::new(&sample.program, &sample.program.properties[0], &found).expect("it asks for outcomes");
        let text = log.to_string();
        for line in [format!("Test sample {kind}"), ok.to_owned(), witnesses.to_owned()] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.contains(&format!("Observation sample {observation}\n")), "{text}");
    }
}

#[test]
fn automata_for_graphviz() {
    let mut sample = message_passing();
    sample.program.name = "quotes \" and \\".into();
    insta::assert_snapshot!(dot::render(&sample.program, &sample.sources));
}
