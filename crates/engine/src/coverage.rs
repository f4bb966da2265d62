//! Which blocks have been reached, by the number of their first instruction in the program.

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    reached: Vec<bool>,
}

impl Coverage {
    pub fn new(instructions: u32) -> Coverage {
        Coverage {
            reached: vec![false; instructions as usize],
        }
    }

    /// Marks a block; true if nobody had reached it before.
    #[inline(always)]
    pub fn reach(&mut self, block: u32) -> bool {
        let reached = &mut self.reached[block as usize];
        if *reached {
            return false;
        }
        *reached = true;
        true
    }

    pub fn is_reached(&self, block: u32) -> bool {
        self.reached[block as usize]
    }
}
