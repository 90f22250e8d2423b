//! Text to program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fencewright_base::{Index, IndexVec};
use smallvec::SmallVec;

use super::lex::{Token, tokens};
use super::line::{Line, Parsed};
use crate::{
    Addr, CellId, Channel, ChannelId, Claim, Condition, Edge, EdgeId, Expr, Fairness, FenceKind, Forbidden,
    Formula, LocId, Location, LocationSet, Lock, Never, NeverMove, NeverState, Op, OrderWord, Outside,
    Program, Property, Quantifier, RegId, Register, StateAtom, Statement, StatementId, Step, Target,
    Temporal, Thread, ThreadId, Variable, Wording, validate,
};

/// Why a text is not a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1; 0 if the text as a whole is meant.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for ParseError {}

/// The program that [`print`](super::print) shows as this text.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::default();
    for (i, line) in text.lines().enumerate() {
        let at_line = |message| ParseError { line: i + 1, message };
        let tokens = tokens(line).map_err(at_line)?;
        if !tokens.is_empty() {
            parser.line(&mut Line::new(&tokens)).map_err(at_line)?;
        }
    }
    let program =
        parser.program.ok_or(ParseError { line: 0, message: "there is no `program`".to_owned() })?;
    match validate(&program).first() {
        None => Ok(program),
        Some(error) => Err(ParseError { line: 0, message: error.to_string() }),
    }
}

#[derive(Default)]
struct Parser {
    program: Option<Program>,
    /// Name to number, or nothing where the name is not unique.
    vars: BTreeMap<String, Option<usize>>,
    channels: BTreeMap<String, Option<usize>>,
    threads: BTreeMap<String, Option<usize>>,
    registers: IndexVec<ThreadId, BTreeMap<String, Option<usize>>>,
}

/// The line of a temporal property up to what it claims.
fn temporal(line: &mut Line<'_>) -> Parsed<Temporal> {
    let (text, span) = (line.text()?, line.span()?);
    let fairness = Fairness { flush: line.word("fair_flush"), process: line.word("fair_process") };
    Ok(Temporal { claim: Claim::Never(Never::default()), fairness, text, span })
}

/// The automaton of the last property.
fn last_automaton(program: &mut Program) -> Parsed<&mut Never> {
    match program.properties.last_mut() {
        Some(Property::Temporal(Temporal { claim: Claim::Never(never), .. })) => Ok(never),
        _ => Err("states and moves belong below a `never`".to_owned()),
    }
}

/// The number a name or `#3` stands for.
fn lookup(line: &mut Line<'_>, names: &BTreeMap<String, Option<usize>>, what: &str) -> Parsed<usize> {
    if let Some(&Token::Number(number)) = line.peek() {
        line.next += 1;
        return Ok(number as usize);
    }
    let name = line.name()?;
    match names.get(&name) {
        Some(Some(number)) => Ok(*number),
        Some(None) => Err(format!("there are several {what}s `{name}`: say which with `#` and its number")),
        None => Err(format!("there is no {what} `{name}`")),
    }
}

/// Notes a name; one that is there already stands for nothing any more.
fn note(names: &mut BTreeMap<String, Option<usize>>, name: &str, number: usize) {
    names.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(Some(number));
}

impl Parser {
    fn line(&mut self, line: &mut Line<'_>) -> Parsed<()> {
        if line.word("program") {
            if self.program.is_some() {
                return Err("there is a `program` already".to_owned());
            }
            self.program = Some(Program {
                name: line.name()?,
                vars: IndexVec::new(),
                channels: IndexVec::new(),
                threads: IndexVec::new(),
                statements: IndexVec::new(),
                orders: IndexVec::new(),
                properties: Vec::new(),
                wording: Wording::default(),
            });
            return line.end();
        }
        let mut program = self.program.take().ok_or("the first line must be `program` and a name")?;
        let result = self.declaration(&mut program, line);
        self.program = Some(program);
        result.and_then(|()| line.end())
    }

    fn declaration(&mut self, program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
        // A quoted name at the start of a line is never a keyword: it is a thread of a `forbidden`.
        let keyword = match line.peek() {
            Some(Token::Word(word)) => word.clone(),
            _ => String::new(),
        };
        // The lines under a `forbidden` begin with the name of a thread, which may look like any keyword.
        if let Some(Property::Forbidden(forbidden)) = program.properties.last()
            && forbidden.at.len() < program.threads.len()
        {
            return self.forbidden_thread(program, line);
        }
        let known = line.next;
        line.next += 1;
        match keyword.as_str() {
            "var" => self.variable(program, line, false),
            "direct" => self.variable(program, line, true),
            "channel" => self.channel(program, line),
            "statement" => statement(program, line),
            "order" => order(program, line),
            "thread" => self.thread(program, line),
            "register" => self.register(program, line, false),
            "scratch" => self.register(program, line, true),
            "location" => location(program, line, false),
            "committed" => location(program, line, true),
            "entry" => {
                current(program)?.entry = line.location()?;
                Ok(())
            }
            "edge" => self.edge(program, line),
            "forbidden" => {
                let (text, span) = (line.text()?, line.span()?);
                program.properties.push(Property::Forbidden(Forbidden { at: IndexVec::new(), text, span }));
                Ok(())
            }
            "invariant" => {
                let condition = self.condition(program, line)?;
                program.properties.push(Property::Invariant(condition));
                Ok(())
            }
            "final" => {
                let quantifiers = [
                    ("exists", Quantifier::Exists),
                    ("never", Quantifier::NotExists),
                    ("forall", Quantifier::Forall),
                ];
                let Some((_, quantifier)) = quantifiers.into_iter().find(|(word, _)| line.word(word)) else {
                    return line.expected("`exists`, `never` or `forall`");
                };
                let condition = self.condition(program, line)?;
                program.properties.push(Property::Final {
                    quantifier,
                    condition,
                    filter: None,
                    observed: Vec::new(),
                });
                Ok(())
            }
            "ltl" => {
                let mut temporal = temporal(line)?;
                line.expect(":")?;
                temporal.claim = Claim::Formula(self.formula(program, line, 0)?);
                program.properties.push(Property::Temporal(temporal));
                Ok(())
            }
            "never" => {
                program.properties.push(Property::Temporal(temporal(line)?));
                Ok(())
            }
            "accept" | "reject" => {
                let state = NeverState { accepting: keyword == "accept", moves: Vec::new() };
                last_automaton(program)?.states.push(state);
                Ok(())
            }
            "move" => {
                let from = line.small()?;
                line.expect("->")?;
                let to = line.small()?;
                line.expect(":")?;
                let when = line.expr(&|line| self.atom(program, line))?;
                match last_automaton(program)?.states.get_mut(from as usize) {
                    Some(state) => state.moves.push(NeverMove { when, to }),
                    None => return Err(format!("the automaton has no state {from}")),
                }
                Ok(())
            }
            "filter" => {
                let parsed = self.condition(program, line)?;
                match program.properties.last_mut() {
                    Some(Property::Final { filter, .. }) => *filter = Some(parsed),
                    _ => return Err("`filter` belongs below a `final`".to_owned()),
                }
                Ok(())
            }
            "observed" => {
                let mut atoms = vec![self.atom(program, line)?];
                while line.symbol(",") {
                    atoms.push(self.atom(program, line)?);
                }
                match program.properties.last_mut() {
                    Some(Property::Final { observed, .. }) => *observed = atoms,
                    _ => return Err("`observed` belongs below a `final`".to_owned()),
                }
                Ok(())
            }
            _ => {
                line.next = known;
                line.expected("a declaration such as `var`, `thread` or `edge`")
            }
        }
    }

    fn channel(&mut self, program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
        let name = line.name()?;
        let arity = line.small()? as usize;
        let span = line.span()?;
        note(&mut self.channels, &name, program.channels.len());
        program.channels.push(Channel { name, arity, span });
        Ok(())
    }

    fn variable(&mut self, program: &mut Program, line: &mut Line<'_>, direct: bool) -> Parsed<()> {
        let name = line.name()?;
        let size = if line.symbol("[") {
            let size = line.small()?;
            line.expect("]")?;
            Some(size as usize)
        } else {
            None
        };
        line.expect(":")?;
        let domain = line.domain()?;
        line.expect("=")?;
        let mut init = vec![line.init()?];
        while line.symbol(",") {
            init.push(line.init()?);
        }
        if init.len() != size.unwrap_or(1) {
            return Err(format!("`{name}` needs {} initial values, not {}", size.unwrap_or(1), init.len()));
        }
        let span = line.span()?;
        note(&mut self.vars, &name, program.vars.len());
        let first_cell = CellId::new(program.n_cells());
        program.vars.push(Variable {
            name,
            domain,
            init,
            is_array: size.is_some(),
            first_cell,
            direct,
            span,
        });
        Ok(())
    }

    fn thread(&mut self, program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
        let name = line.name()?;
        note(&mut self.threads, &name, program.threads.len());
        self.registers.push(BTreeMap::new());
        program.threads.push(Thread {
            name,
            regs: IndexVec::new(),
            locations: IndexVec::new(),
            edges: IndexVec::new(),
            entry: LocId(0),
        });
        Ok(())
    }

    fn register(&mut self, program: &mut Program, line: &mut Line<'_>, scratch: bool) -> Parsed<()> {
        let thread = current(program)?;
        let name = line.name()?;
        line.expect(":")?;
        let domain = line.domain()?;
        line.expect("=")?;
        let init = line.init()?;
        let names = self.registers.iter_mut().last().expect("a current thread has its names");
        note(names, &name, thread.regs.len());
        thread.regs.push(Register { name, domain, init, scratch });
        Ok(())
    }

    fn edge(&self, program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
        current(program)?;
        let from = line.location()?;
        line.expect("->")?;
        let to = line.location()?;
        let statement = StatementId(line.numbered('s', "a statement")?);
        let lock = if !line.word("locked") {
            None
        } else if line.word("full") {
            Some(Lock::Full)
        } else {
            line.expect_word("location")?;
            Some(Lock::Location)
        };
        line.expect(":")?;
        let mut ops = SmallVec::new();
        if !line.word("skip") {
            ops.push(self.op(program, line)?);
            while line.symbol(";") {
                ops.push(self.op(program, line)?);
            }
        }
        let step = Step { ops, lock, statement };
        current(program)?.edges.push(Edge { from, to, step });
        Ok(())
    }

    fn op(&self, program: &Program, line: &mut Line<'_>) -> Parsed<Op> {
        if line.word("read") {
            let dst = self.reg(line)?;
            line.expect("<-")?;
            Ok(Op::Read { dst, addr: self.addr(program, line)? })
        } else if line.word("write") {
            let addr = self.addr(program, line)?;
            line.expect("<-")?;
            Ok(Op::Write { addr, value: self.reg_expr(line)? })
        } else if line.word("assign") {
            let dst = self.reg(line)?;
            line.expect("<-")?;
            Ok(Op::Assign { dst, value: self.reg_expr(line)? })
        } else if line.word("guard") {
            Ok(Op::Guard(self.reg_expr(line)?))
        } else if line.word("assert") {
            Ok(Op::Assert(self.reg_expr(line)?))
        } else if line.word("havoc") {
            Ok(Op::Havoc { dst: self.reg(line)? })
        } else if line.word("fence") {
            if line.word("full") {
                return Ok(Op::Fence(FenceKind::Full));
            }
            line.expect_word("store")?;
            Ok(Op::Fence(FenceKind::StoreStore))
        } else if line.word("send") {
            let channel = self.channel_name(line)?;
            line.expect("<-")?;
            let values = list(line, &mut |line| self.reg_expr(line))?;
            Ok(Op::Send { channel, values })
        } else if line.word("receive") {
            let targets = list(line, &mut |line| {
                if line.word("register") {
                    return self.reg(line).map(Target::Register);
                }
                line.expect_word("memory")?;
                self.addr(program, line).map(Target::Memory)
            })?;
            line.expect("<-")?;
            Ok(Op::Receive { channel: self.channel_name(line)?, targets })
        } else {
            line.expected("an operation such as `read` or `write`")
        }
    }

    fn channel_name(&self, line: &mut Line<'_>) -> Parsed<ChannelId> {
        lookup(line, &self.channels, "channel").map(ChannelId::new)
    }

    /// A register of the thread that is being read.
    fn reg(&self, line: &mut Line<'_>) -> Parsed<RegId> {
        let names = self.registers.iter().last().ok_or("there is no thread yet")?;
        lookup(line, names, "register").map(RegId::new)
    }

    fn reg_expr(&self, line: &mut Line<'_>) -> Parsed<Expr<RegId>> {
        line.expr(&|line| self.reg(line))
    }

    fn cell(&self, program: &Program, line: &mut Line<'_>) -> Parsed<CellId> {
        if let Some(&Token::Number(number)) = line.peek() {
            line.next += 1;
            return Ok(CellId(number));
        }
        let var = &program.vars.as_slice()[lookup(line, &self.vars, "variable")?];
        if !var.is_array {
            return Ok(var.first_cell);
        }
        line.expect("[")?;
        let index = line.small()? as usize;
        line.expect("]")?;
        if index >= var.init.len() {
            return Err(format!("`{}` has no element {index}", var.name));
        }
        Ok(CellId::new(var.first_cell.index() + index))
    }

    fn addr(&self, program: &Program, line: &mut Line<'_>) -> Parsed<Addr> {
        let first = self.cell(program, line)?;
        if !line.symbol("[") {
            return Ok(Addr::Cell(first));
        }
        let index = self.reg_expr(line)?;
        line.expect_word("of")?;
        let len = line.small()?;
        line.expect(",")?;
        let outside = if line.word("blocks") {
            Outside::Blocks
        } else {
            line.expect_word("faults")?;
            Outside::Faults
        };
        line.expect("]")?;
        Ok(Addr::Indexed { first, len, index, outside })
    }

    fn atom(&self, program: &Program, line: &mut Line<'_>) -> Parsed<StateAtom> {
        let behind = line.tokens.get(line.next + 1);
        if !matches!(behind, Some(Token::Symbol(":" | "@"))) {
            return self.cell(program, line).map(StateAtom::Cell);
        }
        let thread = lookup(line, &self.threads, "thread")?;
        if line.symbol("@") {
            return Ok(StateAtom::At(ThreadId::new(thread), line.location()?));
        }
        line.expect(":")?;
        let names = self.registers.as_slice().get(thread).ok_or(format!("there is no thread #{thread}"))?;
        let reg = lookup(line, names, "register")?;
        Ok(StateAtom::Register(ThreadId::new(thread), RegId::new(reg)))
    }

    fn condition(&self, program: &Program, line: &mut Line<'_>) -> Parsed<Condition> {
        let text = line.text()?;
        let span = line.span()?;
        line.expect(":")?;
        let expr = line.expr(&|line| self.atom(program, line))?;
        Ok(Condition { expr, text, span })
    }

    /// A formula; every operator of two operands stands in parentheses.
    fn formula(&self, program: &Program, line: &mut Line<'_>, depth: usize) -> Parsed<Formula> {
        if depth > Formula::MAX_DEPTH {
            return Err(format!("a formula is nested more than {} deep", Formula::MAX_DEPTH));
        }
        if line.word("true") {
            Ok(Formula::Const(true))
        } else if line.word("false") {
            Ok(Formula::Const(false))
        } else if line.word("not") {
            Ok(self.formula(program, line, depth + 1)?.not())
        } else if line.word("next") {
            Ok(self.formula(program, line, depth + 1)?.next())
        } else if line.symbol("[") {
            let condition = line.expr(&|line| self.atom(program, line))?;
            line.expect("]")?;
            Ok(Formula::Now(condition))
        } else {
            line.expect("(")?;
            let left = self.formula(program, line, depth + 1)?;
            type Join = fn(Formula, Formula) -> Formula;
            let operators: [(&str, Join); 4] = [
                ("and", Formula::and),
                ("or", Formula::or),
                ("until", Formula::until),
                ("release", Formula::release),
            ];
            let Some((_, operator)) = operators.into_iter().find(|(word, _)| line.word(word)) else {
                return line.expected("`and`, `or`, `until` or `release`");
            };
            let right = self.formula(program, line, depth + 1)?;
            line.expect(")")?;
            Ok(operator(left, right))
        }
    }

    /// A line below a `forbidden`: where the next thread must stand.
    fn forbidden_thread(&self, program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
        let thread = lookup(line, &self.threads, "thread")?;
        let Some(Property::Forbidden(forbidden)) = program.properties.last_mut() else {
            return Err("a thread's locations belong below a `forbidden`".to_owned());
        };
        if thread != forbidden.at.len() {
            return Err(format!(
                "expected thread number {}: all threads are named in order",
                forbidden.at.len()
            ));
        }
        if line.word("anywhere") {
            forbidden.at.push(LocationSet::Any);
            return Ok(());
        }
        line.expect_word("at")?;
        let mut locations = BTreeSet::new();
        while line.peek().is_some() {
            locations.insert(line.location()?);
        }
        forbidden.at.push(LocationSet::OneOf(locations));
        Ok(())
    }
}

/// Things in parentheses, with commas between them.
fn list<T>(line: &mut Line<'_>, item: &mut dyn FnMut(&mut Line<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
    line.expect("(")?;
    let mut items = Vec::new();
    while !line.symbol(")") {
        if !items.is_empty() {
            line.expect(",")?;
        }
        items.push(item(line)?);
    }
    Ok(items)
}

fn current(program: &mut Program) -> Parsed<&mut Thread> {
    program.threads.iter_mut().last().ok_or_else(|| "this belongs below a `thread`".to_owned())
}

fn statement(program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
    let number = line.numbered('s', "a statement")?;
    in_order(number, program.statements.len())?;
    let text = line.text()?;
    let span = line.span()?;
    let loop_depth = if line.word("loop") { line.small()? } else { 0 };
    let (mut fence_before, mut fence_after) = (false, false);
    if line.word("fence") {
        fence_before = line.word("before");
        fence_after = line.word("after");
    }
    program.statements.push(Statement { text, span, loop_depth, fence_before, fence_after });
    Ok(())
}

fn order(program: &mut Program, line: &mut Line<'_>) -> Parsed<()> {
    let number = line.numbered('o', "an order")?;
    in_order(number, program.orders.len())?;
    let (text, word) = (line.text()?, line.text()?);
    let span = line.span()?;
    let loop_depth = if line.word("loop") { line.small()? } else { 0 };
    let mut stronger = Vec::new();
    loop {
        let kind = if line.word("full") {
            FenceKind::Full
        } else if line.word("store") {
            FenceKind::StoreStore
        } else {
            break;
        };
        stronger.push((kind, line.text()?));
    }
    line.expect(":")?;
    let mut steps = Vec::new();
    while line.peek().is_some() {
        let thread = ThreadId(line.numbered('t', "a thread")?);
        steps.push((thread, EdgeId(line.numbered('e', "an edge")?)));
        if !line.symbol(",") {
            break;
        }
    }
    program.orders.push(OrderWord { text, word, span, stronger, loop_depth, steps });
    Ok(())
}

fn location(program: &mut Program, line: &mut Line<'_>, committed: bool) -> Parsed<()> {
    let thread = current(program)?;
    let LocId(number) = line.location()?;
    in_order(number, thread.locations.len())?;
    let mut labels = Vec::new();
    while line.peek().is_some() {
        labels.push(line.name()?);
    }
    thread.locations.push(Location { labels, committed });
    Ok(())
}

fn in_order(number: u32, next: usize) -> Parsed<()> {
    if number as usize == next { Ok(()) } else { Err(format!("expected number {next}, found {number}")) }
}
