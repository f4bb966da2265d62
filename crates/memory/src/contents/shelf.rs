//! A directory of contents: what models that keep an object's bytes in one piece have in common.

use super::{Contents, Default, maybe};
use crate::directory::{Alloc, Directory, Init};
use crate::pick::{Apart, Join};
use mneme_program::Scalar;
use mneme_term::{BaseId, Terms, Tracer, Value};

impl Directory<Contents> {
    pub fn contents(&self, base: BaseId) -> &Contents {
        &self.get(base).expect("resolution names objects that exist").payload
    }

    pub fn contents_mut(&mut self, base: BaseId) -> &mut Contents {
        &mut self.get_mut(base).expect("resolution names objects that exist").payload
    }

    /// Adds an object of at most `room` bytes.
    pub fn add_contents(&mut self, terms: &mut Terms, what: Alloc, room: u64) -> Option<BaseId> {
        let width = terms.pointer_width();
        self.add(terms, what, room, |base| match what.init {
            Init::Zero => Contents::new(room, width, Default::Zero),
            Init::Undefined => Contents::new(room, width, Default::Undefined { base, round: 0 }),
        })
    }

    #[inline]
    pub fn fast_load(&self, base: BaseId, offset: u64, ty: Scalar) -> Option<Value> {
        let entry = self.get(base)?;
        let n = ty.bytes();
        if !entry.header.reaches(offset, n as u64) {
            return None;
        }
        entry.payload.fast_load(offset, n)
    }

    #[inline]
    pub fn fast_store(&mut self, base: BaseId, offset: u64, ty: Scalar, value: Value) -> bool {
        let Some(entry) = self.get_mut(base) else {
            return false;
        };
        let n = ty.bytes();
        !entry.header.constant && entry.header.reaches(offset, n as u64) && entry.payload.fast_store(offset, n, value)
    }

    /// The lifetime of an object begins again: nothing is written.
    pub fn begin_contents(&mut self, base: BaseId) {
        let width = self.pointer_width();
        self.begin(base, |header| {
            let round = header.round;
            Contents::new(header.room, width, Default::Undefined { base, round })
        });
    }

    pub fn init_value(&mut self, terms: &mut Terms, base: BaseId, offset: u64, ty: Scalar, value: Value) {
        let (always, offset) = (terms.tru(), Value::Int(offset));
        self.contents_mut(base)
            .write(terms, &mut maybe, always, offset, ty.bytes(), value);
    }

    pub fn merge_contents(join: &mut Join, members: &[&Self]) -> Result<Self, Apart> {
        Directory::merge(join, members, &mut |join, entries| {
            let contents: Vec<(usize, &Contents)> =
                entries.iter().map(|&(index, entry)| (index, &entry.payload)).collect();
            Contents::merge(join, &contents)
        })
    }

    pub fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        self.get(base)
            .map_or(Vec::new(), |entry| entry.payload.references(terms))
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for (_, header) in self.headers() {
            header.trace(tracer);
        }
        for entry in self.live() {
            entry.payload.trace(tracer);
        }
    }
}

/// The operations of [`crate::Memory`] that a directory of contents answers alone; the directory is the field named,
/// and `free` the method of it.
macro_rules! answered_by_contents {
    ($field:ident, $free:ident) => {
        $crate::directory::answered_by_directory!($field, $free);

        fn new(pointer_width: u32, _: &$crate::Config) -> Self {
            Self {
                $field: $crate::Directory::new(pointer_width),
            }
        }

        #[inline]
        fn fast_load(
            &self,
            base: mneme_term::BaseId,
            offset: u64,
            ty: mneme_program::Scalar,
        ) -> Option<mneme_term::Value> {
            self.$field.fast_load(base, offset, ty)
        }

        #[inline]
        fn fast_store(
            &mut self,
            base: mneme_term::BaseId,
            offset: u64,
            ty: mneme_program::Scalar,
            value: mneme_term::Value,
        ) -> bool {
            self.$field.fast_store(base, offset, ty, value)
        }

        fn fast_alloc(&mut self, terms: &mut mneme_term::Terms, what: $crate::Alloc) -> Option<mneme_term::BaseId> {
            match what.size {
                mneme_term::Value::Int(len) => self.$field.add_contents(terms, what, len),
                _ => None,
            }
        }

        const PROGRESSIONS: bool = true;
        const FAMILIES: bool = true;

        fn alloc_many(
            &mut self,
            cx: &mut $crate::Cx,
            what: $crate::Alloc,
            many: $crate::Many,
        ) -> Option<mneme_term::BaseId> {
            let shift = $crate::family::shift(self.$field.room(cx, what.size))?;
            let base = self
                .$field
                .add_contents(cx.terms, what, many.most.checked_mul(1 << shift)?)?;
            self.$field.make_family(base, many, shift);
            Some(base)
        }

        fn frees(&self, cx: &mut $crate::Cx, p: mneme_term::Value) -> Vec<(mneme_term::TermId, $crate::Free)> {
            self.$field.frees(cx, p).into_vec()
        }

        fn free_members(&mut self, base: mneme_term::BaseId, freed: $crate::Freed) {
            self.$field.free_members(base, freed);
        }

        fn free_where(&mut self, base: mneme_term::BaseId, when: mneme_term::TermId, site: u32) {
            self.$field.free_where(base, when, site);
        }

        fn progress(&mut self, cx: &mut $crate::Cx, base: mneme_term::BaseId, what: &$crate::Progression) {
            let begin = std::time::Instant::now();
            self.$field.contents_mut(base).progress(cx.terms, what);
            cx.counters.operations.multi_writes += 1;
            cx.counters
                .operations
                .write($crate::operations::Structure::List, begin);
        }

        fn begin(&mut self, base: mneme_term::BaseId) {
            self.$field.begin_contents(base);
        }

        fn init_bytes(&mut self, base: mneme_term::BaseId, offset: u64, bytes: &[u8]) {
            self.$field.contents_mut(base).init(offset, bytes);
        }

        fn init_value(
            &mut self,
            terms: &mut mneme_term::Terms,
            base: mneme_term::BaseId,
            offset: u64,
            ty: mneme_program::Scalar,
            value: mneme_term::Value,
        ) {
            self.$field.init_value(terms, base, offset, ty, value);
        }

        fn merge(join: &mut $crate::Join, members: &[&Self]) -> Result<Self, $crate::Apart> {
            let directories: Vec<_> = members.iter().map(|member| &member.$field).collect();
            let $field = $crate::Directory::merge_contents(join, &directories)?;
            Ok(Self { $field })
        }

        fn references(&self, terms: &mut mneme_term::Terms, base: mneme_term::BaseId) -> Vec<mneme_term::BaseId> {
            self.$field.references(terms, base)
        }

        fn trace(&self, tracer: &mut mneme_term::Tracer) {
            self.$field.trace(tracer);
        }
    };
}
pub(crate) use answered_by_contents;
