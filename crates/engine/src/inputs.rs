//! The symbolic inputs of a path, and the names that new ones get.

use crate::library::number_of;
use crate::state::Input;
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::rc::Rc;

/// In the order in which they were made. A loop may make a hundred thousand of one name.
#[derive(Clone, Default)]
pub struct Inputs {
    list: Vec<Input>,
    /// For each name of an input, a number below which all inputs of that name are made.
    numbers: FxHashMap<Rc<str>, usize>,
}

impl Inputs {
    pub fn push(&mut self, input: Input) {
        self.numbers.entry(input.name.clone()).or_insert(1);
        if let Some((name, _)) = input.name.rsplit_once('_')
            && let Some(next) = self.numbers.get_mut(name)
            && number_of(&input.name, name) == Some(*next)
        {
            *next += 1;
        }
        self.list.push(input);
    }

    pub fn last_mut(&mut self) -> Option<&mut Input> {
        self.list.last_mut()
    }

    /// The first of `name`, `name_1`, `name_2` … that is not taken: the nth input of a name has the same name on every
    /// path.
    pub fn free_name(&self, name: String) -> String {
        let Some(&first) = self.numbers.get(&*name) else {
            return name;
        };
        let free = |number: usize| Some(format!("{name}_{number}")).filter(|name| !self.numbers.contains_key(&**name));
        (first..).find_map(free).expect("there are more numbers than inputs")
    }
}

impl Deref for Inputs {
    type Target = [Input];

    fn deref(&self) -> &[Input] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_term::Value;

    #[test]
    fn the_first_name_that_is_not_taken_is_given() {
        let free = |taken: &[&str]| {
            let mut inputs = Inputs::default();
            for &name in taken {
                inputs.push(Input {
                    name: name.into(),
                    bytes: Rc::new([]),
                    len: Value::Int(0),
                    c_type: None,
                });
            }
            inputs.free_name("x".into())
        };
        assert_eq!(free(&[]), "x");
        assert_eq!(free(&["y", "xy"]), "x");
        assert_eq!(free(&["x", "x_1"]), "x_2");
        assert_eq!(free(&["x", "x_2", "x_1", "x_7"]), "x_3");
        assert_eq!(free(&["x_1"]), "x");
        assert_eq!(free(&["x_1", "x"]), "x_2");
        assert_eq!(free(&["x", "x_01", "x_+1", "x_0", "x_1y", "x_"]), "x_1");
    }
}
