//! Typed indices into dense vectors: a `ThreadId` cannot be used where a `RegId` is meant.

use std::fmt;
use std::marker::PhantomData;
use std::ops;

/// A newtype over `u32` that indexes an [`IndexVec`]. Made by [`define_index!`](crate::define_index).
pub trait Index: Copy + Eq + Ord + fmt::Debug {
    /// The index for position `i`. Panics past `u32::MAX`: no program comes near it.
    fn new(i: usize) -> Self;
    /// The position in the vector.
    fn index(self) -> usize;
}

/// Defines an index type: `define_index! { /// doc  pub struct ThreadId = "t"; }`, `"t"` being its `Debug` prefix.
#[macro_export]
macro_rules! define_index {
    ($($(#[$attr:meta])* $vis:vis struct $name:ident = $prefix:literal;)*) => { $(
        $(#[$attr])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(pub u32);

        impl $crate::Index for $name {
            fn new(i: usize) -> Self { Self(u32::try_from(i).expect("index fits in 32 bits")) }
            fn index(self) -> usize { self.0 as usize }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
    )* };
}

/// A `Vec<T>` indexed by `I`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Index, T> IndexVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self { items: Vec::new(), index: PhantomData }
    }

    /// Appends an item and gives its index.
    pub fn push(&mut self, item: T) -> I {
        let index = I::new(self.items.len());
        self.items.push(item);
        index
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items with their indices.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, item)| (I::new(i), item))
    }

    /// All indices in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// The item, or nothing past the end.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Index, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Index, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self { items: iter.into_iter().collect(), index: PhantomData }
    }
}

impl<I: Index, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, index: PhantomData }
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

impl<'a, I: Index, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
