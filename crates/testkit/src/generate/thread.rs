//! Random threads: straight stretches, branches, loops, and steps of every kind.

use std::collections::VecDeque;

use fencewright_base::Int;
use fencewright_ir::{
    Addr, BinaryOp, CellId, Domain, Expr, FenceKind, Init, LocId, Lock, Op, Outside, ProgramBuilder, RegExpr,
    RegId, StatementId, Step, ThreadBuilder, UnaryOp,
};

use super::{Access, Cell, Rng, domain, init, is_small, value};

/// What a thread was made from, to make another from the same text.
pub(super) struct Text {
    start: Rng,
    statements: VecDeque<StatementId>,
}

/// Which statements a thread may have.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Kinds {
    /// Every kind.
    All,
    /// Those with one way through them.
    StraightLine,
}

/// Adds a thread with the accesses of `core` among about as many statements, from the text given if there is one.
pub(super) fn generate(
    rng: &mut Rng,
    program: &mut ProgramBuilder,
    cells: &[Cell],
    statements: usize,
    core: &[Access],
    (kinds, text): (Kinds, Option<Text>),
) -> Text {
    let own_text = text.is_none();
    let (start, shared) = match text {
        Some(Text { start, statements }) => (start, statements),
        None => (rng.clone(), VecDeque::new()),
    };
    let mut own = start.clone();
    let mut thread = ThreadBuilder::new(format!("P{}", program.program().threads.len()));
    let mut registers = Vec::new();
    for i in 0..2 {
        // A register that cannot hold what it reads blocks its thread; that should be the exception.
        let domain = match own.below(10) {
            0..=4 => Domain::Integers,
            5..=7 => own.pick(cells).domain.clone(),
            _ => domain(&mut own),
        };
        let init = init(&mut own, &domain);
        registers.push((thread.register(format!("r{i}"), domain.clone(), init), domain));
    }
    let here = thread.entry();
    let mut maker = Maker {
        rng: own,
        program,
        thread,
        cells,
        registers,
        here,
        kinds: match kinds {
            Kinds::All => &KINDS,
            Kinds::StraightLine => &KINDS[..STRAIGHT],
        },
        left: statements,
        loops: 0,
        shared,
        used: VecDeque::new(),
    };
    for (number, &access) in core.iter().enumerate() {
        if maker.rng.percent(25) {
            maker.statement(0);
        }
        maker.access(access, number);
    }
    while maker.left > 0 && (core.is_empty() || maker.rng.percent(30)) {
        maker.statement(0);
    }
    let Maker { rng: own, program, thread, used, .. } = maker;
    program.add_thread(thread);
    if own_text {
        *rng = own; // What comes next must not repeat the numbers of this text.
    }
    Text { start, statements: used }
}

struct Maker<'a> {
    rng: Rng,
    program: &'a mut ProgramBuilder,
    thread: ThreadBuilder,
    cells: &'a [Cell],
    registers: Vec<(RegId, Domain)>,
    here: LocId,
    /// What a statement can be.
    kinds: &'static [(usize, Kind)],
    /// How many statements may still be made.
    left: usize,
    /// How many loops the next statement stands in.
    loops: u32,
    /// Statements of the thread whose text this one shares, in the order they are met.
    shared: VecDeque<StatementId>,
    used: VecDeque<StatementId>,
}

#[derive(Copy, Clone)]
enum Kind {
    Write,
    Read,
    BlockingRead,
    Fence(FenceKind),
    ReadModifyWrite,
    LockedWrite,
    Assign,
    Guard,
    Assert,
    Havoc,
    Several,
    Nothing,
    If,
    Choice,
    Loop,
    Spin,
    LocalStretch,
    LocalLoop,
}

/// So many of the kinds, the first ones, have one way through them.
const STRAIGHT: usize = 13;

const KINDS: [(usize, Kind); 19] = [
    (30, Kind::Write),
    (24, Kind::Read),
    (5, Kind::BlockingRead),
    (5, Kind::Fence(FenceKind::Full)),
    (5, Kind::Fence(FenceKind::StoreStore)),
    (5, Kind::ReadModifyWrite),
    (4, Kind::LockedWrite),
    (5, Kind::Assign),
    (2, Kind::Guard),
    (2, Kind::Assert),
    (2, Kind::Havoc),
    (5, Kind::Several),
    (1, Kind::Nothing),
    (5, Kind::If),
    (3, Kind::Choice),
    (4, Kind::Loop),
    (2, Kind::Spin),
    (3, Kind::LocalStretch),
    (2, Kind::LocalLoop),
];

impl Maker<'_> {
    fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        let kind = *self.rng.weighted(self.kinds);
        match kind {
            Kind::Write => {
                let op = self.write();
                self.step(None, [op]);
            }
            Kind::Read => {
                let op = self.read();
                self.step(None, [op]);
            }
            Kind::BlockingRead => {
                let (dst, addr) = (self.register(), self.addr());
                let wanted = Expr::Const(self.value_of(dst));
                self.step(None, [Op::Read { dst, addr }, Op::Guard(Expr::Atom(dst).eq(wanted))]);
            }
            Kind::Fence(kind) => self.step(None, [Op::Fence(kind)]),
            Kind::ReadModifyWrite => {
                let (lock, dst, addr) = (self.lock(), self.register(), self.addr());
                let value = self.value_expr();
                let mut ops = vec![Op::Read { dst, addr: addr.clone() }];
                if self.rng.percent(40) {
                    ops.push(Op::Guard(self.condition()));
                }
                ops.push(Op::Write { addr, value });
                self.step(Some(lock), ops);
            }
            Kind::LockedWrite => {
                let (lock, op) = (self.lock(), self.write());
                self.step(Some(lock), [op]);
            }
            Kind::Assign => {
                let op = self.assign();
                self.step(None, [op]);
            }
            Kind::Guard => {
                let condition = self.condition();
                self.step(None, [Op::Guard(condition)]);
            }
            Kind::Assert => {
                // Most assertions should hold most of the time, or nothing else would ever be seen.
                let condition = self.condition().or(self.condition());
                self.step(None, [Op::Assert(condition)]);
            }
            Kind::Havoc => match self.small_register() {
                Some(dst) => self.step(None, [Op::Havoc { dst }]),
                None => self.step(None, []),
            },
            Kind::Several => self.several(),
            Kind::Nothing => self.step(None, []),
            Kind::If if depth < 2 => self.branch(depth),
            Kind::Choice if depth < 2 => self.choice(depth),
            Kind::Loop if depth < 2 => self.bounded_loop(depth),
            Kind::Spin => self.spin(),
            Kind::If | Kind::Choice | Kind::Loop | Kind::LocalStretch => {
                for _ in 0..1 + self.rng.below(2) {
                    let op = self.assign();
                    self.step(None, [op]);
                }
            }
            Kind::LocalLoop => self.local_loop(),
        }
    }

    fn access(&mut self, access: Access, number: usize) {
        let reg = self.registers[number % self.registers.len()].0;
        let op = match access {
            Access::Write(cell) => self.write_constant(cell),
            Access::Read(cell) => Op::Read { dst: reg, addr: Addr::Cell(self.cells[cell].id) },
        };
        let lock = self.rng.percent(6).then(|| self.lock());
        self.step(lock, [op]);
    }

    /// A step of several micro-operations, sometimes locked.
    fn several(&mut self) {
        let lock = self.rng.percent(30).then(|| self.lock());
        let n_ops = 2 + self.rng.below(2);
        let ops: Vec<Op> = (0..n_ops)
            .map(|_| match self.rng.below(12) {
                0..=3 => self.write(),
                4..=7 => self.read(),
                8 => self.assign(),
                9 => Op::Guard(self.condition()),
                10 => Op::Fence(*self.rng.pick(&[FenceKind::Full, FenceKind::StoreStore])),
                _ => Op::Assert(self.condition().or(self.condition())),
            })
            .collect();
        self.step(lock, ops);
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let (start, end) = (self.here, self.thread.location());
        for condition in [condition.clone(), condition.not()] {
            self.here = start;
            self.step(None, [Op::Guard(condition)]);
            self.block(depth + 1);
            self.step_to(end, None, []);
        }
    }

    fn choice(&mut self, depth: usize) {
        let (start, end) = (self.here, self.thread.location());
        for _ in 0..2 {
            self.here = start;
            self.block(depth + 1);
            self.step_to(end, None, []);
        }
    }

    /// A loop that ends by a condition on registers, or is left at any time.
    fn bounded_loop(&mut self, depth: usize) {
        let head = self.here;
        let condition = self.condition();
        self.loops += 1;
        self.step(None, [Op::Guard(condition.clone())]);
        self.block(depth + 1);
        self.step_to(head, None, []);
        self.loops -= 1;
        let leave = if self.rng.percent(70) { condition.not() } else { Expr::constant(1) };
        self.step(None, [Op::Guard(leave)]);
    }

    /// Reads until the value is there.
    fn spin(&mut self) {
        let (head, dst, addr) = (self.here, self.register(), self.addr());
        let wanted = Expr::Const(self.value_of(dst));
        self.loops += 1;
        self.step(None, [Op::Read { dst, addr }]);
        let read = self.here;
        self.step_to(head, None, [Op::Guard(Expr::Atom(dst).ne(wanted.clone()))]);
        self.loops -= 1;
        self.here = read;
        self.step(None, [Op::Guard(Expr::Atom(dst).eq(wanted))]);
    }

    /// A loop on registers alone: some count, some never end unless left.
    fn local_loop(&mut self) {
        let head = self.here;
        let counter = self.thread.register(
            format!("i{}", self.thread.thread().regs.len()),
            Domain::range(0, 2),
            Init::Value(Int::ZERO),
        );
        self.loops += 1;
        let next = match self.rng.below(3) {
            0 => Expr::Atom(counter).add(Expr::constant(1)),
            1 => Expr::constant(1).sub(Expr::Atom(counter)),
            _ => Expr::Atom(counter),
        };
        if self.rng.percent(50) {
            self.step(None, [Op::Assign { dst: counter, value: next }]);
            self.step_to(head, None, []);
        } else {
            self.step_to(head, None, [Op::Assign { dst: counter, value: next }]);
        }
        self.loops -= 1;
        if self.rng.percent(85) {
            let seen = self.rng.between(0, 2);
            let leave = Expr::Atom(counter).binary(BinaryOp::Ge, Expr::constant(seen));
            self.step(None, [Op::Guard(leave)]);
        } else {
            self.step(None, []);
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(2) {
            self.statement(depth);
        }
    }

    fn step(&mut self, lock: Option<Lock>, ops: impl IntoIterator<Item = Op>) {
        let to = self.thread.location();
        self.step_to(to, lock, ops);
    }

    fn step_to(&mut self, to: LocId, lock: Option<Lock>, ops: impl IntoIterator<Item = Op>) {
        let statement = self.shared.pop_front().unwrap_or_else(|| {
            let number = self.program.program().statements.len();
            let statement = self.program.statement(format!("s{number}"), None);
            self.program.statement_mut(statement).loop_depth = self.loops;
            statement
        });
        self.used.push_back(statement);
        self.thread.edge(self.here, to, Step { ops: ops.into_iter().collect(), lock, statement });
        self.here = to;
    }

    fn lock(&mut self) -> Lock {
        *self.rng.pick(&[Lock::Location, Lock::Full])
    }

    fn register(&mut self) -> RegId {
        self.rng.pick(&self.registers).0
    }

    fn small_register(&mut self) -> Option<RegId> {
        self.registers.iter().find(|(_, domain)| is_small(domain)).map(|(reg, _)| *reg)
    }

    fn value_of(&mut self, reg: RegId) -> Int {
        let domain = self.thread.thread().regs[reg].domain.clone();
        value(&mut self.rng, &domain)
    }

    fn read(&mut self) -> Op {
        Op::Read { dst: self.register(), addr: self.addr() }
    }

    fn write(&mut self) -> Op {
        if self.rng.percent(70) {
            let cell = self.rng.below(self.cells.len());
            self.write_constant(cell)
        } else {
            Op::Write { addr: self.addr(), value: self.value_expr() }
        }
    }

    /// A write of a number that is most often not the initial one.
    fn write_constant(&mut self, cell: usize) -> Op {
        let Cell { id, domain } = self.cells[cell].clone();
        let value = match value(&mut self.rng, &domain) {
            same if same == domain.default_value() => same.add(&Int::ONE),
            other => other,
        };
        Op::Write { addr: Addr::Cell(id), value: Expr::Const(value) }
    }

    fn assign(&mut self) -> Op {
        Op::Assign { dst: self.register(), value: self.value_expr() }
    }

    fn addr(&mut self) -> Addr {
        if self.rng.percent(88) {
            return Addr::Cell(self.rng.pick(self.cells).id);
        }
        let first = self.rng.below(self.cells.len());
        let len = 1 + self.rng.below(self.cells.len() - first);
        let index = match self.rng.below(3) {
            0 => Expr::constant(self.rng.between(0, len as i64 - 1)),
            1 => Expr::Atom(self.register()),
            _ => Expr::Atom(self.register()).binary(BinaryOp::BitAnd, Expr::constant(1)),
        };
        let outside = *self.rng.pick(&[Outside::Blocks, Outside::Blocks, Outside::Faults]);
        Addr::Indexed { first: CellId(self.cells[first].id.0), len: len as u32, index, outside }
    }

    /// A value to store. Inside a loop it takes finitely many values even where the domain has no bound.
    fn value_expr(&mut self) -> RegExpr {
        let reg = Expr::Atom(self.register());
        let constant = Expr::constant(self.rng.between(0, 2));
        match self.rng.below(if self.loops > 0 { 6 } else { 12 }) {
            0 | 1 => constant,
            2 => reg,
            3 => self.condition(),
            4 => reg.binary(BinaryOp::BitAnd, constant),
            5 => Expr::Choose(Box::new(self.condition()), Box::new(reg), Box::new(constant)),
            6 | 7 => reg.add(constant),
            8 => reg.sub(Expr::Atom(self.register())),
            9 => {
                let op = *self.rng.pick(&[BinaryOp::Mul, BinaryOp::BitOr, BinaryOp::BitXor, BinaryOp::Shl]);
                reg.binary(op, Expr::constant(1 + self.rng.between(0, 2)))
            }
            10 => {
                let op = *self.rng.pick(&[BinaryOp::Div, BinaryOp::Rem, BinaryOp::Shr]);
                // The divisor is mostly not zero; where it is, the step faults.
                let divisor = if self.rng.percent(80) { Expr::constant(2) } else { constant };
                reg.binary(op, divisor)
            }
            _ => {
                let op = *self.rng.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
                let value = Expr::Unary(op, Box::new(reg));
                Expr::Wrap { bits: 2, signed: self.rng.percent(50), value: Box::new(value) }
            }
        }
    }

    fn condition(&mut self) -> RegExpr {
        let reg = self.register();
        let value = Expr::Const(self.value_of(reg));
        let op = *self.rng.pick(&[
            BinaryOp::Eq,
            BinaryOp::Eq,
            BinaryOp::Ne,
            BinaryOp::Lt,
            BinaryOp::Ge,
            BinaryOp::Le,
        ]);
        let one = Expr::Atom(reg).binary(op, value);
        match self.rng.below(10) {
            0 => one.and(Expr::Atom(self.register())),
            1 => one.or(Expr::Atom(self.register()).not()),
            2 => one.not(),
            _ => one,
        }
    }
}
