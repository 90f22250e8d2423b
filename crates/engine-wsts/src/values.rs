//! The values cells can hold, narrowed: a cell holds its initial value or one that some reachable step writes.

use fencewright_base::{Index, Int};
use fencewright_ir::{CellId, Domain, Init, Program};

use crate::label::{Cell, Value};

/// The most values of one cell: sets of them are 64-bit masks.
pub(crate) const MOST_VALUES: usize = 64;

/// Values grow past this only where they grow for ever, and then each costs more than the one before.
const MOST_BITS: u32 = 512;

/// Whether the value is of a size that values which end do not reach.
pub(crate) fn is_huge(value: &Int) -> bool {
    let bound = || Int::power_of_two(MOST_BITS);
    value.to_i64().is_none() && (*value > bound() || *value < bound().neg())
}

/// A set of values of one cell.
pub(crate) type Mask = u64;

/// What each cell can hold.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    cells: Vec<CellValues>,
}

#[derive(Debug, Clone)]
struct CellValues {
    values: Vec<Int>,
    initial: Mask,
}

/// A cell can hold more values than can be told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TooMany(pub(crate) CellId);

impl Values {
    /// The initial values only.
    pub(crate) fn initial(program: &Program) -> Result<Self, TooMany> {
        let mut cells = Vec::new();
        for (cell, domain, init) in program.cells() {
            let values = match init {
                Init::Value(value) => vec![value.clone()],
                Init::Any => enumerate(domain, MOST_VALUES).ok_or(TooMany(cell))?,
            };
            let initial = if values.len() == 64 { Mask::MAX } else { (1 << values.len()) - 1 };
            cells.push(CellValues { values, initial });
        }
        Ok(Self { cells })
    }

    /// How many cells there are.
    pub(crate) fn n_cells(&self) -> usize {
        self.cells.len()
    }

    /// How many values all cells have together.
    pub(crate) fn total(&self) -> usize {
        self.cells.iter().map(|cell| cell.values.len()).sum()
    }

    /// The values of a cell; their numbers are their places here.
    pub(crate) fn of(&self, cell: Cell) -> &[Int] {
        &self.cells[cell as usize].values
    }

    /// The values a cell can have at the start.
    pub(crate) fn initially(&self, cell: Cell) -> Mask {
        self.cells[cell as usize].initial
    }

    /// The number of a value, which is a new one if the cell has not held it so far.
    pub(crate) fn number(&mut self, cell: Cell, value: &Int) -> Result<Value, TooMany> {
        let values = &mut self.cells[cell as usize].values;
        if let Some(found) = values.iter().position(|known| known == value) {
            return Ok(found as Value);
        }
        if values.len() == MOST_VALUES || is_huge(value) {
            return Err(TooMany(CellId::new(cell as usize)));
        }
        values.push(value.clone());
        Ok((values.len() - 1) as Value)
    }
}

/// The values of a domain, if they are at most `limit`.
pub(crate) fn enumerate(domain: &Domain, limit: usize) -> Option<Vec<Int>> {
    let (lo, hi) = domain.bounds()?;
    let count = hi.sub(&lo).add(&Int::ONE).to_i64()?;
    (usize::try_from(count).ok()? <= limit).then(|| (0..count).map(|i| lo.add(&Int::from(i))).collect())
}
