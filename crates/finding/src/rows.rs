//! Figures by name. A part of Mneme that counts something says under which name, and nothing between it and
//! `stats.json` knows that name. Times are in nanoseconds, which the name says (`read_ns`). What was never counted has
//! no row.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rows(BTreeMap<Cow<'static, str>, u64>);

impl Rows {
    pub fn add(&mut self, name: &'static str, count: u64) {
        *self.row(name) += count;
    }

    /// Keeps the greatest figure.
    pub fn most(&mut self, name: &'static str, figure: u64) {
        let row = self.row(name);
        *row = figure.max(*row);
    }

    fn row(&mut self, name: &'static str) -> &mut u64 {
        self.0.entry(Cow::Borrowed(name)).or_default()
    }

    pub fn add_all(&mut self, others: &Rows) {
        for (name, count) in &others.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn figures(&self) -> impl Iterator<Item = &u64> {
        self.0.values()
    }
}

impl<const N: usize> From<[(&'static str, u64); N]> for Rows {
    fn from(rows: [(&'static str, u64); N]) -> Rows {
        Rows(rows.map(|(name, count)| (Cow::Borrowed(name), count)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn rows_are_plain_json() {
        let mut rows = Rows::from([("reads", 2)]);
        rows.add("reads", 1);
        rows.most("largest", 7);
        rows.most("largest", 5);
        let text = serde_json::to_string(&rows).unwrap();
        assert_eq!(text, r#"{"largest":7,"reads":3}"#);
        assert_eq!(serde_json::from_str::<Rows>(&text).unwrap(), rows);
        rows.add_all(&Rows::from([("reads", 1), ("writes", 4)]));
        assert_eq!(
            (rows.get("reads"), rows.get("writes"), rows.get("never counted")),
            (4, 4, 0)
        );
    }
}
