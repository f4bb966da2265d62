//! What is reported about an object: its name, type and size, where it comes from, and where it died.

use super::count;
use crate::state::{Frame, State};
use crate::worker::Worker;
use mneme_finding::{Location, Note};
use mneme_memory::{Death, Gone, Header, Life, Model, NO_SITE, Name, Pointee, Variable};
use mneme_program::{Function, Inst, Kind, Loc, OperandKind, Program, Site, SiteKind, Slot, Type};
use mneme_term::{BaseId, BaseInfo, BaseKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// `buf` (10 bytes, `char[10]`); a heap object of 16 bytes.
    pub(super) fn object_name(&self, state: &State<M>, base: BaseId) -> String {
        let size = match self.size_of(state, base) {
            Some(n) => count(n, "byte"),
            None => "unknown size".into(),
        };
        let Some(site) = self.site_of(base) else {
            if let Some((pointer, ty)) = state.demand.pointer_to(base) {
                let ty = ty.map_or("void".into(), |ty| self.program.type_name(ty));
                return format!("what `{pointer}` points to ({size}, `{ty}`)");
            }
            return format!("an argument of {size}");
        };
        match (&site.kind, c_name(site)) {
            (SiteKind::Heap, _) => format!("a heap object of {size}"),
            (SiteKind::Function, Some(name)) => format!("the function `{name}`"),
            (_, Some(name)) => match site.c_type.map(|ty| self.program.type_name(ty.into())) {
                Some(ty) => format!("`{name}` ({size}, `{ty}`)"),
                None => format!("`{name}` ({size})"),
            },
            (SiteKind::Global, None) => {
                let what = if self.is_text(site) {
                    "string literal"
                } else {
                    "constant"
                };
                format!("a {what} of {size}")
            }
            (_, None) => format!("a stack object of {size}"),
        }
    }

    /// The name, and for objects that share it with others where they come from: a heap object of 16 bytes, allocated
    /// at a.c:7.
    pub(super) fn object_and_origin(&self, state: &State<M>, base: BaseId) -> String {
        let mut text = self.object_name(state, base);
        let info = self.terms.base_info(base);
        let site = self.site_of(base).filter(|_| info.kind == BaseKind::Heap);
        if let Some(place) = site.and_then(|site| self.site_place(site)) {
            text = format!("{text}, allocated at {}", place.brief());
        }
        match (info.n, info.kind) {
            (0, _) => text,
            (n, BaseKind::Heap) => format!("{text}, the {} there", ordinal(n)),
            (n, _) => format!("{text}, the {} of that name", ordinal(n)),
        }
    }

    /// The heap as a formula, if the model has one to show: the objects of the program itself, by their names.
    pub(super) fn symbolic_heap(&mut self, state: &State<M>) -> Option<Note> {
        let show = M::NOTATION?;
        let program = self.program;
        let named: FxHashMap<BaseId, Name> = {
            let info = |base| self.terms.base_info(base);
            let made = |base: BaseId| {
                let text = symbolic_location(program, &info(base))?;
                Some(Name { text, pointee: None })
            };
            let given = |base: BaseId| {
                let (pointer, ty) = state.demand.pointer_to(base)?;
                let c_type = ty.and_then(Type::number);
                Some(Name {
                    text: pointer.to_owned(),
                    pointee: Some(Pointee { c_type }),
                })
            };
            let name = |base: BaseId| Some((base, made(base).or_else(|| given(base))?));
            let bases = [BaseKind::Global, BaseKind::Stack, BaseKind::Heap];
            let alive = bases.into_iter().flat_map(|kind| state.memory.alive(kind));
            alive.filter_map(name).collect()
        };
        let name = |base: BaseId| named.get(&base).cloned();
        let path = state.path.condition.clauses();
        let variables = self.variables_in_slots(state);
        let text = show(&state.memory, &mut self.terms, path, &variables, &name)?;
        Some(Note::new(text.trim_end(), None))
    }

    /// What a place in memory is called.
    pub(crate) fn place_name(&self, base: BaseId, offset: u64) -> String {
        let name = symbolic_location(self.program, &self.terms.base_info(base)).unwrap_or_else(|| "?".into());
        let name = name.rsplit(':').next().unwrap_or("?").trim_end_matches("@0");
        match offset {
            0 => name.into(),
            offset => format!("{name}+{offset}"),
        }
    }

    /// What a variable that no pointer refers to is called.
    pub(crate) fn slot_name(&self, function: &Function, wanted: Slot) -> Option<&str> {
        let site = function.code.iter().find_map(|inst| match *inst {
            Inst::SlotLoad { slot, site, .. } if slot == wanted => Some(site),
            _ => None,
        })?;
        self.program.sites.get(site.index()).and_then(c_name)
    }

    /// Variables of the program itself that no pointer refers to, outermost call first.
    fn variables_in_slots(&self, state: &State<M>) -> Vec<Variable> {
        let mut out = Vec::new();
        for frame in &state.frames {
            let function = self.program.function(frame.function);
            let own = function.source_name.as_ref().unwrap_or(&function.name);
            let variable = |inst: &Inst| match *inst {
                Inst::SlotLoad { ty, slot, site, .. } if !function.runtime => Some((slot, site, ty.bytes())),
                _ => None,
            };
            let variables: BTreeSet<_> = function.code.iter().filter_map(variable).collect();
            for (slot, site, bytes) in variables {
                let name = self.program.sites.get(site.index()).and_then(c_name);
                // The frame of an earlier instruction has no slots.
                let known = name.zip(frame.slots.get(slot as usize));
                out.extend(known.map(|(name, &value)| Variable {
                    name: format!("&{own}:{name}"),
                    bytes,
                    value,
                }));
            }
        }
        out
    }

    fn is_text(&self, site: &Site) -> bool {
        let Some(Kind::Array { of, .. }) = site.c_type.map(|ty| self.program.kind(ty.into())) else {
            return false;
        };
        matches!(self.program.kind(of), Kind::Base { encoding, .. } if encoding.is_character())
    }

    /// Where the object was made.
    pub(super) fn origin_note(&self, state: &State<M>, base: BaseId) -> Option<Note> {
        let header = state.memory.header(base)?;
        let site = self.site_of(base)?;
        let place = self.site_place(site)?;
        let text = match c_name(site) {
            _ if header.kind == BaseKind::Heap => "it is allocated here".into(),
            Some(name) if header.life == Life::Ended(Death::Return) => {
                let function = self.program.function(site.function?);
                let function = function.source_name.as_ref().unwrap_or(&function.name);
                format!("`{name}` is declared here and lives until `{function}` returns")
            }
            Some(name) => format!("`{name}` is declared here"),
            None => "it is defined here".into(),
        };
        Some(Note::new(text, Some(place)))
    }

    /// The site of an object. `None`: it is Mneme's own, such as the arguments of `main`.
    pub(crate) fn site_of(&self, base: BaseId) -> Option<&Site> {
        self.program.sites.get(self.terms.base_info(base).site as usize)
    }

    /// Where the object was made, if that is in the program's own code.
    pub(crate) fn made_at(&self, base: BaseId) -> Option<Loc> {
        let site = self.site_of(base)?;
        self.site_place(site).map(|_| site.loc)
    }

    /// Where the object died, if known.
    pub(super) fn death_note(&self, state: &State<M>, base: BaseId) -> Option<Note> {
        let header = state.memory.header(base)?;
        let holds = |gone: &&Gone| self.evaluate(state, gone.when).low_u64() == 1;
        let (life, freed) = match header.gone().iter().find(holds) {
            Some(gone) => (gone.life, gone.freed),
            None => (header.life, header.freed),
        };
        match life {
            Life::Alive | Life::Unborn => None,
            Life::Freed => {
                let site = self.program.sites.get(freed as usize)?;
                Some(Note::new("it is freed here", Some(self.site_place(site)?)))
            }
            // The note on its origin says so.
            Life::Ended(Death::Return) => None,
            Life::Ended(Death::Scope) => {
                let place = self.scope_end(header)?;
                Some(Note::new("its scope ends here", Some(place)))
            }
        }
    }

    /// The one place where the lifetime of a site's objects ends.
    fn scope_end(&self, header: &Header) -> Option<Location> {
        let site = self.program.sites.get(header.site as usize)?;
        let function = self.program.function(site.function?);
        let made = |inst: &Inst| match *inst {
            Inst::Alloca { dst, site, .. } if site.0 == header.site => Some(dst),
            _ => None,
        };
        let slot: Slot = function.code.iter().find_map(made)?;
        let ends = |inst: &Inst| match inst {
            Inst::LifetimeEnd { ptr, .. } => ptr.kind() == OperandKind::Slot(slot),
            _ => false,
        };
        let mut places: Vec<Loc> = function
            .code
            .iter()
            .zip(&function.locs)
            .filter(|(inst, _)| ends(inst))
            .map(|(_, loc)| *loc)
            .collect();
        places.dedup();
        match places[..] {
            [loc] => self.site_place(&Site { loc, ..site.clone() }),
            _ => None,
        }
    }

    /// The site of the program's own call that is being executed.
    pub(crate) fn calling_site(&self, state: &State<M>) -> u32 {
        let own = |frame: &&Rc<Frame>| !self.program.function(frame.function).runtime;
        let Some(frame) = state.frames.iter().rev().find(own) else {
            return NO_SITE;
        };
        let function = self.program.function(frame.function);
        match function.code.get(frame.pc as usize) {
            Some(Inst::Call { call }) => function.calls[call.index()].site.0,
            _ => NO_SITE,
        }
    }

    pub(super) fn site_place(&self, site: &Site) -> Option<Location> {
        let Loc { file, line, column } = site.loc;
        let file = self.program.files.get(file as usize)?.clone();
        let function = site.function.map(|id| self.program.function(id));
        let name = function.map_or(String::new(), |f| {
            f.source_name.clone().unwrap_or_else(|| f.name.clone())
        });
        let runtime = function.is_some_and(|f| f.runtime);
        (line > 0 && !runtime).then_some(Location {
            function: name,
            file,
            line,
            column,
            runtime,
        })
    }
}

/// `&main:x@1`, the second variable `x` of `main`; `malloc!7@0`, the first block allocated in line 7. Only for objects
/// of the program itself.
fn symbolic_location(program: &Program, base: &BaseInfo) -> Option<String> {
    let site = program.sites.get(base.site as usize)?;
    let function = site.function.map(|id| program.function(id));
    let of_runtime = |function: &Function| {
        let file = function.locs.first().map(|loc| loc.file);
        function.runtime && file == Some(site.loc.file)
    };
    if site.loc.line == 0 || program.functions.iter().any(of_runtime) {
        return None;
    }
    let n = base.n;
    if base.kind == BaseKind::Heap {
        return Some(format!("malloc!{}@{n}", site.loc.line));
    }
    let name = c_name(site)?;
    Some(match function {
        Some(function) => format!(
            "&{}:{name}@{n}",
            function.source_name.as_ref().unwrap_or(&function.name)
        ),
        None => format!("&{name}"),
    })
}

/// Constants without a name in C have one that begins with a dot.
pub(super) fn c_name(site: &Site) -> Option<&str> {
    site.name.as_deref().filter(|name| !name.starts_with('.'))
}

/// Of a number that counts from 0: 1st, 2nd, 3rd, 11th.
fn ordinal(index: u32) -> String {
    let n = u64::from(index) + 1;
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn ordinals_end_as_english_wants_it() {
        let all = [0, 1, 2, 3, 10, 11, 20, 102, 110].map(ordinal);
        assert_eq!(
            all,
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "103rd", "111th"]
        );
    }
}
