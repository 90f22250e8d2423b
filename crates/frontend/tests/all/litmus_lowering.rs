//! What litmus tests become: names, statements, steps, domains, and the property. And the odd forms that collections of
//! tests are full of.

use fencewright_base::{Int, SourceMap};
use fencewright_frontend::{Loaded, litmus::LANGUAGE};
use fencewright_ir::{Domain, FenceKind, Init, Lock, Op, Program, Property, Quantifier, StateAtom};

fn loaded(text: &str) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let file = sources.add("folder/test.litmus", text);
    let loaded =
        (LANGUAGE.load)(&sources, file).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}"));
    (sources, loaded)
}

fn program(text: &str) -> Program {
    loaded(text).1.program
}

fn shown(program: &Program) -> (Quantifier, String, Vec<String>) {
    let Some(Property::Final { quantifier, condition, observed, .. }) = program.properties.first() else {
        panic!("no property of final states")
    };
    let name = |atom: &StateAtom| match *atom {
        StateAtom::Register(thread, reg) => {
            format!("{}:{}", thread.0, program.threads[thread].regs[reg].name)
        }
        StateAtom::Cell(cell) => format!("[{}]", program.cell_name(cell)),
        StateAtom::At(..) => unreachable!("litmus tests observe no locations of threads"),
    };
    (*quantifier, condition.text.clone(), observed.iter().map(name).collect())
}

#[test]
fn the_odd_forms_of_old_collections_load() {
    let text = "\
X86 n7/old (nSeven) \"text\"
{x = 0; y = 0; P0:EAX = 1};
        P0      |       P1      ;
  mov [x], 1    |  mov EBX, [y] ; (* a comment *)
  xchg [z],EAX  |;
  MOV DWORD PTR [x],2 ;
exists (P1:EBX = 0
   /\\ P0:eax=0);
<<
show flags false
>>
";
    let program = program(text);
    assert_eq!(program.name, "n7/old");
    let (quantifier, condition, observed) = shown(&program);
    assert_eq!(quantifier, Quantifier::Exists);
    assert_eq!(condition, "(P1:EBX = 0 /\\ P0:eax=0)");
    assert_eq!(observed, ["0:eax", "1:EBX"], "by thread; the name as the condition writes it");
    let names: Vec<&str> = program.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["P0", "P1"]);
}

#[test]
fn headers_of_all_kinds() {
    let rest = "\n P0 ;\n NOP ;\nforall true";
    for (head, name) in [
        ("X86 a+b-c[d]\n\"quoted { text\"\nPrefetch=0:x={,1:y=T\nCom=Fr Fr\n{ }", "a+b-c[d]"),
        ("  (* before *)\n  x86 t (tee)\nany text\n{}", "t"),
        ("X86_64 t;\nHash=12{\n{ };", "t"),
        ("X86 --\n{ }", "test"),
    ] {
        assert_eq!(program(&format!("{head}{rest}")).name, name, "{head}");
    }
}

#[test]
fn no_condition_is_forall_true() {
    let (quantifier, text, observed) =
        shown(&program("X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nlocations [x; 0:EAX;]"));
    assert_eq!((quantifier, text.as_str()), (Quantifier::Forall, "true"));
    assert_eq!(observed, ["0:EAX", "[x]"]);
}

#[test]
fn columns_are_sorted_by_the_numbers_of_the_threads() {
    let program = program("X86 t\n{ }\n P1 | P0 ;\n NOP | MFENCE ;\n NOP | ;\nforall true");
    let n_edges: Vec<usize> = program.threads.iter().map(|thread| thread.edges.len()).collect();
    assert_eq!(n_edges, [1, 2]);
}

#[test]
fn statements_are_the_instruction_texts() {
    let (sources, loaded) =
        loaded("X86 t\n{ }\n P0 ;\n L0: LOCK;  XADD\t[x],EAX ;\n JNE L0 ;\n INC  [y] ;\nforall true");
    let program = loaded.program;
    let texts: Vec<&str> = program.statements.iter().map(|statement| statement.text.as_str()).collect();
    assert_eq!(texts, ["LOCK; XADD [x],EAX", "JNE L0", "INC [y]", "INC [y]"]);
    let spans: Vec<&str> =
        program.statements.iter().map(|s| sources.text(s.span.expect("has a place"))).collect();
    assert_eq!(spans, ["LOCK;  XADD\t[x],EAX", "JNE L0", "INC  [y]", "INC  [y]"]);
    let depths: Vec<u32> = program.statements.iter().map(|statement| statement.loop_depth).collect();
    assert_eq!(depths, [1, 1, 0, 0]);
    let fences: Vec<(bool, bool)> =
        program.statements.iter().map(|s| (s.fence_before, s.fence_after)).collect();
    assert_eq!(
        fences,
        [(true, true), (true, false), (true, false), (false, true)],
        "no fence behind a jump, nor inside an instruction"
    );
}

/// The locks and operations of the only thread's steps, in the order of the text.
fn steps(row: &str) -> Vec<(Option<Lock>, Vec<&'static str>)> {
    let text = format!("X86 t\n{{ }}\n P0 ;\n {row} ;\nforall true");
    let program = program(&text);
    let thread = program.threads.iter().next().expect("one thread");
    let kind = |op: &Op| match op {
        Op::Read { .. } => "read",
        Op::Write { .. } => "write",
        Op::Assign { .. } => "assign",
        Op::Guard(_) => "guard",
        Op::Assert(_) => "assert",
        Op::Havoc { .. } => "havoc",
        Op::Fence(FenceKind::Full) => "fence",
        Op::Fence(FenceKind::StoreStore) => "ssfence",
        Op::Send { .. } => "send",
        Op::Receive { .. } => "receive",
    };
    thread.edges.iter().map(|edge| (edge.step.lock, edge.step.ops.iter().map(kind).collect())).collect()
}

#[test]
fn instructions_become_the_steps_they_should() {
    let full = Some(Lock::Full);
    for (row, expected) in [
        ("MOV EAX,[x]", vec![(None, vec!["read"])]),
        ("MOV [x],EAX", vec![(None, vec!["write"])]),
        ("MFENCE", vec![(None, vec!["fence"])]),
        ("SFENCE", vec![(None, vec!["ssfence"])]),
        ("LFENCE", vec![(None, vec![])]),
        ("XCHG [x],EAX", vec![(full, vec!["read", "write", "assign"])]),
        ("XCHG EAX,[x]", vec![(full, vec!["read", "write", "assign"])]),
        ("XCHG EAX,EBX", vec![(None, vec!["assign", "assign", "assign"])]),
        ("INC [x]", vec![(None, vec!["read"]), (None, vec!["write"])]),
        ("LOCK INC [x]", vec![(full, vec!["read", "write"])]),
        ("LOCK; XADD [x],EAX", vec![(full, vec!["read", "write", "assign"])]),
        ("LOCK CMPXCHG [x],EBX", vec![(full, vec!["read", "write", "assign"])]),
        (
            "CMPXCHG [x],EBX",
            vec![(None, vec!["read"]), (None, vec!["guard", "write"]), (None, vec!["guard", "assign"])],
        ),
        ("ADD EAX,[x]", vec![(None, vec!["read", "assign"])]),
        ("CMP EAX,$1", vec![(None, vec![])]),
        (
            "L0: TEST EAX,EAX; JE L0",
            vec![(None, vec!["assign"]), (None, vec!["guard"]), (None, vec!["guard"])],
        ),
    ] {
        assert_eq!(steps(row), expected, "{row}");
    }
}

#[test]
fn domains_and_initial_values() {
    let program = program(
        "X86_64 t\n{ uint32_t x=-1; y=-1; 0:rbx=-2; }\n P0 ;\n movl (x),%eax ;\n movq (y),%rcx ;\n movq %rbx,%rcx ;\nforall true",
    );
    let vars: Vec<_> =
        program.vars.iter().map(|var| (var.name.as_str(), var.domain.clone(), var.init[0].clone())).collect();
    let value = |n: i64| Init::Value(Int::from(n));
    assert_eq!(
        vars,
        [
            ("x", Domain::Machine { bits: 32, signed: false }, value(4_294_967_295)),
            ("y", Domain::Machine { bits: 64, signed: true }, value(-1)),
        ]
    );
    let thread = program.threads.iter().next().expect("one thread");
    let regs: Vec<_> =
        thread.regs.iter().map(|reg| (reg.name.as_str(), reg.domain.clone(), reg.init.clone())).collect();
    assert_eq!(
        regs,
        [
            ("eax", Domain::Machine { bits: 32, signed: true }, value(0)),
            ("rbx", Domain::Machine { bits: 64, signed: true }, value(-2)),
            ("rcx", Domain::Machine { bits: 64, signed: true }, value(0)),
        ]
    );
}
