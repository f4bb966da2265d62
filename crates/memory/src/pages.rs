//! A map from small numbers to values, in two levels of copy-on-write pages: a clone copies one pointer, a look-up
//! follows two, and the first write after a clone copies one page.

use std::rc::Rc;

const BITS: usize = 5;
const SIZE: usize = 1 << BITS;

type Page<T> = Rc<[Option<T>; SIZE]>;

#[derive(Debug)]
pub struct Pages<T> {
    /// `None` while it is empty, so that an empty map costs nothing.
    pages: Option<Rc<Vec<Option<Page<T>>>>>,
}

impl<T> Clone for Pages<T> {
    fn clone(&self) -> Self {
        Pages {
            pages: self.pages.clone(),
        }
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { pages: None }
    }
}

impl<T: Clone> Pages<T> {
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let index = index as usize;
        self.pages.as_ref()?.get(index >> BITS)?.as_ref()?[index & (SIZE - 1)].as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let index = index as usize;
        let page = Rc::make_mut(self.pages.as_mut()?).get_mut(index >> BITS)?.as_mut()?;
        Rc::make_mut(page)[index & (SIZE - 1)].as_mut()
    }

    pub fn insert(&mut self, index: u32, value: T) {
        let index = index as usize;
        let pages = Rc::make_mut(self.pages.get_or_insert_default());
        if pages.len() <= index >> BITS {
            pages.resize_with((index >> BITS) + 1, || None);
        }
        let page = pages[index >> BITS].get_or_insert_with(|| Rc::new([const { None }; SIZE]));
        Rc::make_mut(page)[index & (SIZE - 1)] = Some(value);
    }

    /// The numbers, in order, of the entries in pages that the maps do not all share.
    pub fn differing(maps: &[&Pages<T>]) -> Vec<u32> {
        let page = |map: &Pages<T>, high: usize| {
            map.pages
                .as_ref()
                .and_then(|pages| pages.get(high)?.as_ref().map(Rc::as_ptr))
        };
        let pages = |map: &&Pages<T>| map.pages.as_ref().map_or(0, |pages| pages.len());
        let most = maps.iter().map(pages).max().unwrap_or(0);
        let differs = |high: &usize| maps.iter().any(|map| page(map, *high) != page(maps[0], *high));
        let entries = |high: usize| ((high << BITS) as u32)..((high + 1) << BITS) as u32;
        (0..most).filter(differs).flat_map(entries).collect()
    }

    /// All entries in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let pages = self.pages.iter().flat_map(|pages| pages.iter().enumerate());
        pages.flat_map(|(high, page)| {
            let entries = page.iter().flat_map(|page| page.iter().enumerate());
            entries.filter_map(move |(low, entry)| Some((((high << BITS) | low) as u32, entry.as_ref()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_isolated_and_keeps_order() {
        let mut a = Pages::default();
        a.insert(70, "x");
        a.insert(3, "y");
        let mut b = a.clone();
        *b.get_mut(70).unwrap() = "z";
        b.insert(1000, "w");
        assert_eq!(a.iter().collect::<Vec<_>>(), [(3, &"y"), (70, &"x")]);
        assert_eq!(b.iter().collect::<Vec<_>>(), [(3, &"y"), (70, &"z"), (1000, &"w")]);
        assert_eq!(a.get(1000), None);
    }
}
