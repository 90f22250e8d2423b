//! Handshakes at random: the same seed gives the same program.

use fencewright_testkit::generate::Rng;

use super::{FLAG, FLAGS, HALVES, Handshake, OTHER, Op, Order, Place};

impl Handshake {
    /// The program of a seed.
    pub fn generate(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        if rng.percent(50) {
            return Maker { data: 1, flags: 1, rng }.handover();
        }
        let n_threads = if rng.percent(20) { 3 } else { 2 };
        let main_acts = n_threads == 2 && rng.percent(50);
        let mut make = Maker { data: 1 + rng.below(3), flags: 1 + rng.below(2), rng };
        let mut main = Vec::new();
        for _ in 0..n_threads {
            let most = if main_acts { 2 } else { 1 };
            let n = make.rng.below(most + 1);
            main.push(make.ops(n, 0));
        }
        let n_last = if main_acts { make.rng.below(3) } else { 0 };
        main.push(make.ops(n_last, 2));
        let threads = (0..n_threads)
            .map(|_| {
                let n = 1 + make.rng.below(if n_threads == 2 { 3 } else { 2 });
                make.ops(n, 2)
            })
            .collect();
        let n_after = if make.rng.percent(30) { 1 + make.rng.below(2) } else { 0 };
        let after_join = make.ops(n_after, 0);
        Self { main, threads, after_join }
    }
}

struct Maker {
    rng: Rng,
    /// How many places for data there are, and how many flags: with few, threads meet more often.
    data: usize,
    flags: usize,
}

impl Maker {
    /// One thread writes and then sets a flag, another reads behind the flag; between the two each does things that the others
    /// can notice. What a search takes to be in order across these is what it may be wrong about.
    fn handover(mut self) -> Handshake {
        let mut giver = self.between(1);
        giver.push(Op::Store(self.data(), 1, Order::Plain));
        giver.extend(self.between(2));
        giver.push(match self.rng.below(4) {
            0 => Op::Add(FLAG, 1, self.any_order()),
            1 => Op::CompareExchange(FLAG, 0, 1, self.any_order()),
            _ => Op::Store(FLAG, 1, self.store_order()),
        });
        giver.extend(self.between(2));
        let mut inner = self.between(1);
        inner.push(if self.rng.percent(50) {
            Op::Load(self.data(), Order::Plain)
        } else {
            Op::Store(self.data(), 2, Order::Plain)
        });
        inner.extend(self.between(1));
        let mut taker = self.between(1);
        taker.push(Op::When(FLAG, 1, self.load_order(), inner));
        let main = vec![Vec::new(), Vec::new(), self.between(2)];
        let threads = if self.rng.percent(50) { vec![giver, taker] } else { vec![taker, giver] };
        let after_join = if self.rng.percent(20) { self.ops(1, 0) } else { Vec::new() };
        Handshake { main, threads, after_join }
    }

    /// Up to so many operations that touch neither the data nor the flag of a handover, or hardly.
    fn between(&mut self, most: usize) -> Vec<Op> {
        let n = self.rng.below(most + 1);
        (0..n)
            .map(|_| match self.rng.below(10) {
                0 | 1 => Op::Load(OTHER, self.load_order()),
                2 => Op::Store(OTHER, 1, self.store_order()),
                3 => Op::Add(OTHER, 1, self.any_order()),
                4 | 5 => Op::Fence(*self.rng.pick(&[Order::SeqCst, Order::Release])),
                6 | 7 => Op::Locked(0, Vec::new()),
                8 => Op::Locked(0, self.ops(1, 0)),
                _ => self.op(0),
            })
            .collect()
    }

    fn ops(&mut self, n: usize, depth: usize) -> Vec<Op> {
        (0..n).map(|_| self.op(depth)).collect()
    }

    /// An operation. Outside of blocks, blocks and flags are more frequent than data.
    fn op(&mut self, depth: usize) -> Op {
        let number = 1 + self.rng.below(5) as u8 / 3;
        let n_inner = 1 + self.rng.below(3);
        let blocks = if depth > 0 { 16 } else { 0 };
        match self.rng.below(17 + blocks) {
            0..=2 => Op::Store(self.data(), number, Order::Plain),
            3..=5 => Op::Load(self.data(), Order::Plain),
            6..=8 => Op::Store(self.flag(), number, self.store_order()),
            9 => Op::Load(self.flag(), self.load_order()),
            10 if self.rng.percent(50) => Op::Add(self.flag(), 1, self.any_order()),
            10 => {
                let expected = self.rng.below(2) as u8;
                Op::CompareExchange(self.flag(), expected, number, self.any_order())
            }
            11 | 12 => {
                Op::Fence(*self.rng.pick(&[Order::SeqCst, Order::SeqCst, Order::Release, Order::Acquire]))
            }
            13 if self.rng.percent(50) => Op::Give(number, self.any_order(), self.rng.percent(50)),
            13 => Op::Take(self.load_order(), self.rng.percent(50).then_some(number)),
            14 if self.rng.percent(50) => Op::Lend(number, self.store_order()),
            14 => Op::Free(self.load_order()),
            15 if self.rng.percent(50) => Op::Post,
            15 => Op::Wait,
            16 if self.rng.percent(50) => Op::WaitCondition(u8::from(self.rng.percent(25))),
            16 => Op::Wake(self.rng.percent(50)),
            17..=24 => {
                let (place, order) = (self.flag(), self.load_order());
                Op::When(place, number, order, self.ops(n_inner, depth - 1))
            }
            25..=31 => {
                let (lock, tries) = (u8::from(self.rng.percent(25)), self.rng.percent(20));
                let inner = self.ops(n_inner, depth - 1);
                if tries { Op::TryLocked(lock, inner) } else { Op::Locked(lock, inner) }
            }
            // What is in an atomic section must not wait.
            _ => Op::Atomic(without_waiting(self.ops(n_inner, depth - 1))),
        }
    }

    fn data(&mut self) -> Place {
        match self.rng.below(self.data) {
            0 => Place { global: 0, offset: 0, bits: 32 },
            1 => Place { global: 1, offset: 0, bits: 32 },
            _ => {
                let halves = [(0, 64), (1, 8), (0, 32), (0, 32), (4, 32)];
                let (offset, bits) = *self.rng.pick(&halves);
                Place { global: HALVES, offset, bits }
            }
        }
    }

    fn flag(&mut self) -> Place {
        let global = if self.rng.percent(8) { 0 } else { FLAGS[self.rng.below(self.flags)] };
        Place { global, offset: 0, bits: 32 }
    }

    fn load_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::Acquire, Order::SeqCst])
    }

    fn store_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Release, Order::Release, Order::SeqCst])
    }

    fn any_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::Release, Order::SeqCst])
    }
}

/// The same without what waits, and without atomic sections inside.
fn without_waiting(ops: Vec<Op>) -> Vec<Op> {
    ops.into_iter()
        .flat_map(|op| match op {
            Op::Locked(_, inner) | Op::TryLocked(_, inner) | Op::Atomic(inner) => without_waiting(inner),
            Op::When(place, number, order, inner) => {
                vec![Op::When(place, number, order, without_waiting(inner))]
            }
            Op::Wait | Op::WaitCondition(_) | Op::Post | Op::Wake(_) => Vec::new(),
            other => vec![other],
        })
        .collect()
}
