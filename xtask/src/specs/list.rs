//! The list of requirements, as docs/specs.toml keeps it.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::shell;

const HEAD: &str = "\
# The requirements of the five designs that annals runs as profiles, and the rules that all of them share.
# `deferred`: the design itself puts it off. `substitution`: it names a technology that the engine has its own for.
# `cargo xtask specs` shows which test proves which of them; `cargo xtask specs --update` writes this file anew.
";

/// All requirements in their order.
pub struct List {
    pub sections: Vec<Section>,
}

/// A part of a profile's specification.
pub struct Section {
    pub profile: String,
    pub title: String,
    pub requirements: Vec<Requirement>,
}

/// One requirement.
pub struct Requirement {
    pub id: String,
    pub deferred: bool,
    pub substitution: bool,
    /// What it says; empty unless read from the specifications.
    pub text: String,
    /// What a test of it asserts; empty unless read from the specifications.
    pub accept: String,
}

impl Requirement {
    /// Whether it need not be proven.
    pub fn out_of_scope(&self) -> bool {
        self.deferred || self.substitution
    }
}

/// Where the list lies.
pub fn file() -> PathBuf {
    shell::root().join("docs").join("specs.toml")
}

/// The text of docs/specs.toml, with the line ends of every system alike.
pub fn text() -> Result<String, String> {
    let file = file();
    let text =
        fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    Ok(text.replace("\r\n", "\n"))
}

impl List {
    /// Reads what `render` wrote.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|e| format!("docs/specs.toml: {e}"))?;
        let listed = table
            .get("section")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten();
        let sections = listed
            .map(|listed| section(listed).ok_or_else(|| format!("docs/specs.toml: {listed:?}")));
        Ok(Self {
            sections: sections.collect::<Result<_, _>>()?,
        })
    }

    /// The text of the file.
    pub fn render(&self) -> String {
        let mut text = HEAD.to_owned();
        for section in &self.sections {
            let _ = write!(
                text,
                "\n[[section]]\nprofile = {:?}\ntitle = {:?}\n",
                section.profile, section.title
            );
            array(&mut text, "ids", &section.requirements, |_| true);
            array(
                &mut text,
                "deferred",
                &section.requirements,
                |requirement| requirement.deferred,
            );
            array(
                &mut text,
                "substitution",
                &section.requirements,
                |requirement| requirement.substitution,
            );
        }
        text
    }

    /// Every requirement.
    pub fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.sections
            .iter()
            .flat_map(|section| &section.requirements)
    }
}

/// Writes the ids that fit, twelve on a line; nothing when none do.
fn array(
    text: &mut String,
    key: &str,
    requirements: &[Requirement],
    fits: impl Fn(&Requirement) -> bool,
) {
    let ids: Vec<_> = requirements
        .iter()
        .filter(|one| fits(one))
        .map(|one| format!("{:?}", one.id))
        .collect();
    let lines: Vec<_> = ids.chunks(12).map(|chunk| chunk.join(", ")).collect();
    let _ = match &lines[..] {
        [] => Ok(()),
        [line] => writeln!(text, "{key} = [{line}]"),
        lines => writeln!(text, "{key} = [\n    {},\n]", lines.join(",\n    ")),
    };
}

fn section(listed: &toml::Value) -> Option<Section> {
    let named = |key: &str| Some(listed.get(key)?.as_str()?.to_owned());
    let ids = |key: &str| -> Option<Vec<&str>> {
        let Some(listed) = listed.get(key) else {
            return Some(Vec::new());
        };
        listed.as_array()?.iter().map(toml::Value::as_str).collect()
    };
    let (deferred, substitution) = (ids("deferred")?, ids("substitution")?);
    let requirement = |id: &str| Requirement {
        id: id.to_owned(),
        deferred: deferred.contains(&id),
        substitution: substitution.contains(&id),
        text: String::new(),
        accept: String::new(),
    };
    let requirements = ids("ids")?.into_iter().map(requirement).collect();
    Some(Section {
        profile: named("profile")?,
        title: named("title")?,
        requirements,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_kept_list_is_complete_and_in_its_own_form() {
        let text = text().expect("docs/specs.toml");
        let list = List::parse(&text).expect("a list");
        assert_eq!(list.render(), text);
        let ids: BTreeSet<_> = list
            .requirements()
            .map(|requirement| requirement.id.clone())
            .collect();
        let all = [
            ('C', 139),
            ('S', 151),
            ('A', 100),
            ('G', 164),
            ('M', 113),
            ('X', 10),
        ];
        let all = all.iter().flat_map(|(letter, last)| {
            (1..=*last).map(move |number| format!("{letter}-{number:02}"))
        });
        assert_eq!(ids, all.collect());
        assert_eq!(list.requirements().count(), 677);
    }

    #[test]
    fn a_broken_list_is_refused() {
        assert!(List::parse("[[section]]\nprofile = \"graph\"\n").is_err());
        assert!(List::parse("[[section").is_err());
    }
}
