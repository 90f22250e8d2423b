//! Which accesses are visible: all to *contested* granules or, in a refined search, only those made at places where they conflict.

use hashbrown::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::Granule;

/// The place where an access is made: the thread with its calls, and which threads exist.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access(pub(super) u64);

impl Access {
    /// Any place: accesses to the granule are not told apart.
    pub(super) const ANY: Access = Access(0);
    /// A pending write that reaches memory. It is an action of its own.
    pub(super) const FLUSH: Access = Access(1);
}

/// Accesses found to conflict that the search took not to.
pub type Conflicts = HashSet<(Granule, Access), FixedState>;

/// What a search takes to be contested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contested {
    granules: HashMap<Granule, Accesses, FixedState>,
    refined: bool,
}

/// Which accesses to a granule conflict with others.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Accesses {
    All,
    Of(HashSet<Access, FixedState>),
}

/// A granule with conflicts at more places than this becomes contested everywhere: finding them takes too many searches.
const MOST_ACCESSES: usize = 64;

/// Whether an access to a granule is visible.
pub(super) enum Taken {
    /// It is not: nothing conflicts on the granule.
    Uncontested,
    /// It is: all accesses to the granule are.
    Contested,
    /// It depends on the place.
    Depends,
}

impl Contested {
    /// The same with these conflicts added.
    #[must_use]
    pub fn with(&self, new: &Conflicts) -> Self {
        let mut all = self.clone();
        for (granule, access) in new {
            if !self.refined {
                all.granules.insert(*granule, Accesses::All);
                continue;
            }
            let known = all.granules.entry(*granule).or_insert_with(|| Accesses::Of(HashSet::default()));
            if let Accesses::Of(accesses) = known {
                if *access != Access::ANY {
                    accesses.insert(*access);
                }
                if accesses.len() > MOST_ACCESSES {
                    *known = Accesses::All;
                }
            }
        }
        all
    }

    /// The same granules, with the conflicting places yet to be found.
    #[must_use]
    pub fn refined(&self) -> Self {
        let granules = self.granules.keys().map(|granule| (*granule, Accesses::Of(HashSet::default())));
        Self { granules: granules.collect(), refined: true }
    }

    /// Whether accesses to one granule are told apart.
    pub fn is_refined(&self) -> bool {
        self.refined
    }

    pub(super) fn of(&self, granule: &Granule) -> Taken {
        match self.granules.get(granule) {
            None => Taken::Uncontested,
            Some(Accesses::All) => Taken::Contested,
            Some(Accesses::Of(_)) => Taken::Depends,
        }
    }

    pub(super) fn contains(&self, granule: &Granule, access: Access) -> bool {
        match self.granules.get(granule) {
            None => false,
            Some(Accesses::All) => true,
            Some(Accesses::Of(accesses)) => accesses.contains(&access),
        }
    }
}

#[cfg(test)]
impl FromIterator<Granule> for Contested {
    fn from_iter<T: IntoIterator<Item = Granule>>(granules: T) -> Self {
        let granules = granules.into_iter().map(|granule| (granule, Accesses::All)).collect();
        Self { granules, refined: false }
    }
}
