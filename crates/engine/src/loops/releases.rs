//! What a loop frees: the multi-deallocation of *Symbolic Memory with Pointers*, section 3. A `free` of the body that
//! frees a different block in each iteration ends the lives of all of them at once, each under the condition that an
//! iteration reaches it.

use super::courses::{Turn, put};
use super::effects::Effects;
use super::first::{Affine, COUNT, First};
use super::iteration::{Iteration, Why};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Free, Freed, Model, Truth};
use mneme_term::{BaseId, Case, Sort, Symbol, SymbolId, SymbolKind, TermId, sign_extend};

/// What one `free` of the body does to one object or family.
pub(super) struct Release {
    base: BaseId,
    /// The condition for that in iteration τ.
    when: TermId,
    what: What,
    site: u32,
    /// How many exits come before it.
    exits: usize,
}

enum What {
    /// Frees the member with this number.
    Member(Affine),
    /// Frees the object, in this iteration.
    Object(First),
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn releases(&mut self, iteration: &Iteration, turn: &mut Turn) -> Result<Vec<Release>, Why> {
        let mut releases = Vec::new();
        for frees in &iteration.frees {
            turn.exits = frees.exits;
            for (guard, way) in &frees.ways {
                let when = self.regular(*guard, turn);
                let (base, what) = match *way {
                    Free::Nothing | Free::Fault(_) => continue,
                    Free::Member(base, member) => {
                        let member = self.regular(member, turn);
                        let member = Affine::of(&mut self.terms, member, turn.tau);
                        let member = member.filter(|member| member.step != 0);
                        (base, What::Member(member.ok_or("it frees blocks in no order")?))
                    }
                    Free::Object(base) => {
                        let first = First::of(&mut self.terms, when, turn.tau);
                        let first = first.filter(|first| self.terms.is_true(first.valid));
                        (base, What::Object(first.ok_or("it frees blocks in no order")?))
                    }
                };
                releases.push(Release {
                    base,
                    when,
                    what,
                    site: frees.site,
                    exits: frees.exits,
                });
            }
        }
        Ok(releases)
    }

    /// The objects that the accesses of the body reach in iteration τ.
    pub(super) fn reached(&mut self, iteration: &Iteration, turn: &mut Turn) -> Vec<Case> {
        let width = self.pointer_width();
        let mut reached = Vec::new();
        for (at, access) in iteration.accesses.iter().enumerate() {
            turn.exits = iteration.exits_before(at);
            let place = self.term(access.place, width);
            let place = self.regular(place, turn);
            reached.extend(self.terms.cases(place).iter());
        }
        reached
    }

    /// No iteration touches or frees what an earlier one has freed.
    pub(super) fn check_releases(
        &mut self,
        state: &State<M>,
        reached: &[Case],
        releases: &[Release],
        valid: TermId,
        limit: TermId,
        tau: SymbolId,
    ) -> Result<(), Why> {
        const DEPEND: Why = "iterations that depend on each other";
        for (index, release) in releases.iter().enumerate() {
            for case in reached.iter().filter(|case| case.base == Some(release.base)) {
                let member = match release.what {
                    What::Object(_) => None,
                    What::Member(_) => Some(self.terms.split_member(case.offset).ok_or(DEPEND)?.0),
                };
                if self.may_follow(state, (case.guard, member), release, valid, limit, tau) {
                    return Err(DEPEND);
                }
            }
            for (at, other) in releases.iter().enumerate() {
                let member = match other.what {
                    // It goes to another one each time.
                    What::Member(_) if at == index => continue,
                    What::Member(member) => {
                        let variable = self.terms.symbol(tau);
                        Some(member.at(&mut self.terms, variable))
                    }
                    What::Object(_) => None,
                };
                if other.base == release.base
                    && self.may_follow(state, (other.when, member), release, valid, limit, tau)
                {
                    return Err(DEPEND);
                }
            }
        }
        Ok(())
    }

    /// Can something be done in iteration τ to this member of a family after an earlier iteration has freed it?
    fn may_follow(
        &mut self,
        state: &State<M>,
        (when, member): (TermId, Option<TermId>),
        release: &Release,
        valid: TermId,
        limit: TermId,
        tau: SymbolId,
    ) -> bool {
        let terms = &mut self.terms;
        let other = terms.symbol_id(Symbol {
            name: "tau!earlier".into(),
            kind: SymbolKind::Bound,
            sort: Sort::Bits(COUNT),
        });
        let (later, earlier) = (terms.symbol(tau), terms.symbol(other));
        let freed = put(terms, release.when, tau, earlier);
        let mut goal = terms.and(when, freed);
        if let (Some(member), What::Member(gone)) = (member, &release.what) {
            let gone = gone.at(terms, earlier);
            let same = terms.eq(member, gone);
            goal = terms.and(goal, same);
        }
        let (order, reached) = (terms.ult(earlier, later), terms.ule(later, limit));
        goal = terms.and(goal, order);
        goal = terms.and(goal, reached);
        goal = terms.and(goal, valid);
        !matches!(self.may(state, goal), Truth::Never)
    }

    /// Frees what the loop has freed when it is left by an exit after `count` iterations.
    pub(super) fn release_all(&mut self, state: &mut State<M>, effects: &Effects, way_out: usize, count: TermId) {
        let width = self.pointer_width();
        let one = self.terms.constant(COUNT, 1);
        let more = self.terms.add(count, one);
        for release in &effects.releases {
            let count = if release.exits <= way_out { more } else { count };
            match release.what {
                What::Object(first) => {
                    let before = self.terms.ult(first.index, count);
                    let when = self.terms.and(first.exists, before);
                    if !self.terms.is_false(when) {
                        state.memory.free_where(release.base, when, release.site);
                    }
                }
                What::Member(member) => {
                    let tau = super::courses::tau(&mut self.terms);
                    let step = sign_extend(member.step, width);
                    let mut freed = Freed {
                        when: release.when,
                        index: Some(tau),
                        start: member.start,
                        step: step.unsigned_abs(),
                        count: self.terms.resize_zext(count, width),
                    };
                    if step < 0 {
                        // The same, starting from the lowest number.
                        let last = self.terms.sub(count, one);
                        freed.start = member.at(&mut self.terms, last);
                        let variable = self.terms.symbol(tau);
                        let mirrored = self.terms.sub(last, variable);
                        freed.when = put(&mut self.terms, release.when, tau, mirrored);
                    }
                    state.memory.free_members(release.base, freed);
                }
            }
        }
    }
}
