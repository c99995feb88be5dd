use std::fmt::Write as _;

use annals_language::one_line;

use super::escape::{escape, unescape};
use super::{Rejected, Warning, WarningKind};

/// A core file, such as an agent's `MEMORY.md` or `USER.md`: a title and sections of `- ` lines,
/// one section a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreFormat {
    /// The title.
    pub title: String,
    /// The sections, in the order in which they fill the file.
    pub sections: Vec<CoreSection>,
    /// The most characters of the whole file.
    pub max_chars: usize,
    /// Titles under which the file is read as well: those of other languages.
    pub other_titles: Vec<String>,
}

/// A section of a core file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreSection {
    /// The kind of its memories.
    pub kind: String,
    /// Its heading.
    pub heading: String,
    /// Headings by which it is known as well: those of other languages.
    pub other_headings: Vec<String>,
}

/// A memory of a core file.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreLine {
    /// Its kind.
    pub kind: String,
    /// Its text.
    pub content: String,
    /// How much it matters: within a section the highest come first, and the lowest are left out
    /// first.
    pub importance: f64,
}

/// A core file as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoreFile {
    /// Its memories, in the order of the file.
    pub lines: Vec<CoreRead>,
    /// Text that is no memory, heading or title, verbatim and in the order of the file.
    pub rejected: Vec<Rejected>,
    /// Deviations from the written form, in the order of the file.
    pub warnings: Vec<Warning>,
}

/// A memory that stands in a core file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoreRead {
    /// The kind of the section that it stands in.
    pub kind: String,
    /// Its text.
    pub content: String,
    /// The number of its line, from 1 on.
    pub line: usize,
}

impl CoreFormat {
    /// Whether a line is the title of such a file, in any language.
    #[must_use]
    pub fn is_title(&self, line: &str) -> bool {
        let title = line.trim().strip_prefix('#').map(str::trim);
        let mut titles = std::iter::once(&self.title).chain(&self.other_titles);
        title.is_some_and(|title| titles.any(|known| known.trim() == title))
    }
}

impl CoreSection {
    /// Whether a heading is that of the section, in any language, or its kind.
    fn is_headed(&self, heading: &str) -> bool {
        let mut headings = std::iter::once(&self.heading).chain(&self.other_headings);
        headings.any(|known| known == heading) || self.kind.eq_ignore_ascii_case(heading)
    }
}

/// Renders the whole file. Lines of kinds without a section are left out; where the characters do
/// not suffice, so are the last ones.
#[must_use]
pub fn render_core(lines: &[CoreLine], format: &CoreFormat) -> String {
    let mut text = format!("# {}\n", format.title);
    let mut used = text.chars().count();
    for section in &format.sections {
        let mut of_kind: Vec<&CoreLine> = lines
            .iter()
            .filter(|line| line.kind == section.kind)
            .collect();
        of_kind.sort_by(|a, b| {
            b.importance
                .total_cmp(&a.importance)
                .then_with(|| a.content.cmp(&b.content))
        });
        let heading = format!("\n## {}\n", section.heading);
        let mut pending = heading.chars().count();
        for line in of_kind {
            let content = escape(&line.content);
            // "- ", the content and the line feed.
            let chars = content.chars().count() + 3;
            if content.is_empty() || used + pending + chars > format.max_chars {
                continue;
            }
            if pending > 0 {
                text.push_str(&heading);
            }
            let _ = writeln!(text, "- {content}");
            used += pending + chars;
            pending = 0;
        }
    }
    text
}

/// Reads a core file. Never fails: lines under no known heading are of the kind `default_kind`,
/// and text that is no line of a list, no title and no heading is set aside.
#[must_use]
pub fn read_core(text: &str, format: &CoreFormat, default_kind: &str) -> CoreFile {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut kind = default_kind;
    let mut file = CoreFile::default();
    // Lines of the person's own that stand together.
    let mut block: Option<(usize, Vec<&str>)> = None;
    for (at, raw) in text.lines().enumerate() {
        let (number, line) = (at + 1, raw.trim());
        match meaning(line, format) {
            Meaning::Stray => block
                .get_or_insert_with(|| (number, Vec::new()))
                .1
                .push(raw),
            Meaning::Nothing => block.iter_mut().for_each(|(_, lines)| lines.push(raw)),
            other => {
                file.set_aside(block.take());
                match other {
                    Meaning::Section(of) => kind = of,
                    Meaning::Foreign => {
                        kind = default_kind;
                        file.rejected.push(Rejected {
                            line: number,
                            text: raw.to_owned(),
                        });
                        file.warnings.push(Warning {
                            line: number,
                            kind: WarningKind::NoSection(kind.to_owned()),
                        });
                    }
                    Meaning::Line(content) => {
                        file.lines.push(CoreRead {
                            kind: kind.to_owned(),
                            content,
                            line: number,
                        });
                    }
                    Meaning::Title | Meaning::Stray | Meaning::Nothing => {}
                }
            }
        }
    }
    file.set_aside(block);
    file
}

impl CoreFile {
    fn set_aside(&mut self, block: Option<(usize, Vec<&str>)>) {
        let Some((line, lines)) = block else { return };
        self.rejected.push(Rejected {
            line,
            text: lines.join("\n").trim_end().to_owned(),
        });
        self.warnings.push(Warning {
            line,
            kind: WarningKind::Stray,
        });
    }
}

/// The meaning of a line of a core file.
enum Meaning<'a> {
    Title,
    /// The heading of a section of this kind.
    Section(&'a str),
    /// The heading of no section.
    Foreign,
    Line(String),
    Stray,
    /// It says nothing: it is empty, or a line of a list without a text.
    Nothing,
}

fn meaning<'a>(line: &str, format: &'a CoreFormat) -> Meaning<'a> {
    if let Some(heading) = line.strip_prefix("##") {
        let heading = heading.trim_start_matches('#').trim();
        let section = format
            .sections
            .iter()
            .find(|section| section.is_headed(heading));
        return section.map_or(Meaning::Foreign, |section| Meaning::Section(&section.kind));
    }
    if format.is_title(line) {
        return Meaning::Title;
    }
    match bullet(line) {
        Some(content) if content.is_empty() => Meaning::Nothing,
        Some(content) => Meaning::Line(content),
        None if is_blank(line) => Meaning::Nothing,
        None => Meaning::Stray,
    }
}

/// The text of a line of a list.
fn bullet(line: &str) -> Option<String> {
    let content = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))?;
    Some(one_line(unescape(content.trim())))
}

fn is_blank(line: &str) -> bool {
    matches!(line, "" | "-" | "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(title: &str, sections: &[(&str, &str)]) -> CoreFormat {
        let section = |(kind, heading): &(&str, &str)| CoreSection {
            kind: (*kind).into(),
            heading: (*heading).into(),
            other_headings: vec![format!("{kind}s")],
        };
        CoreFormat {
            title: title.to_owned(),
            sections: sections.iter().map(section).collect(),
            max_chars: 4000,
            other_titles: vec!["Core memories".to_owned()],
        }
    }

    fn memory() -> CoreFormat {
        let sections = [
            ("RULE", "规则约束"),
            ("PREFERENCE", "用户偏好"),
            ("FACT", "重要事实"),
            ("SKILL", "成功模式"),
        ];
        format("核心记忆", &sections)
    }

    fn user() -> CoreFormat {
        format(
            "用户档案",
            &[("PREFERENCE", "用户偏好"), ("FACT", "重要事实")],
        )
    }

    #[test]
    fn headings_of_another_language_are_read() {
        let file = read_core(
            "# Core memories\n\n## RULEs\n- ask first\n\n## 重要事实\n- tea\n",
            &memory(),
            "FACT",
        );
        let lines: Vec<(&str, &str)> = file
            .lines
            .iter()
            .map(|l| (l.kind.as_str(), l.content.as_str()))
            .collect();
        assert_eq!(
            (lines, file.rejected.len()),
            (vec![("RULE", "ask first"), ("FACT", "tea")], 0)
        );
    }

    fn line(kind: &str, content: &str, importance: f64) -> CoreLine {
        CoreLine {
            kind: kind.to_owned(),
            content: content.to_owned(),
            importance,
        }
    }

    #[test]
    fn rules_come_first_and_errors_not_at_all() {
        // part: A-71
        let lines = [
            line("FACT", "用户叫李雷", 0.9),
            line("ERROR", "直接删除文件会导致数据丢失", 0.9),
            line("RULE", "回复用中文", 0.4),
            line("RULE", "禁止虚报执行结果", 0.8),
        ];
        let text = render_core(&lines, &memory());
        let wanted = "# 核心记忆\n\n## 规则约束\n- 禁止虚报执行结果\n- 回复用中文\n\n## 重要事实\n- 用户叫李雷\n";
        assert_eq!(text, wanted);
        assert_eq!(
            render_core(&lines, &user()),
            "# 用户档案\n\n## 重要事实\n- 用户叫李雷\n"
        );
    }

    #[test]
    fn the_file_is_limited_and_hand_written_lines_are_found() {
        // part: A-72
        let lines: Vec<CoreLine> = (0..500_u32)
            .map(|n| {
                line(
                    ["RULE", "PREFERENCE", "FACT", "SKILL"][n as usize % 4],
                    &format!("第{n}条永久记忆"),
                    f64::from(n) / 500.0,
                )
            })
            .collect();
        let format = memory();
        let text = render_core(&lines, &format);
        assert!(text.chars().count() <= 4000, "{}", text.chars().count());
        assert!(text.chars().count() > 3900);
        assert!(text.find("第496条").unwrap() < text.find("第492条").unwrap());
        let edited = format!("{text}- 用户叫李雷\n").replace("- 第496条永久记忆\n", "");
        let told = |text: &str| -> Vec<String> {
            read_core(text, &format, "FACT")
                .lines
                .into_iter()
                .map(|line| line.content)
                .collect()
        };
        let (old, new) = (told(&text), told(&edited));
        let added: Vec<&String> = new.iter().filter(|line| !old.contains(line)).collect();
        let gone: Vec<&String> = old.iter().filter(|line| !new.contains(line)).collect();
        assert_eq!(
            (added, gone),
            (
                vec![&"用户叫李雷".to_owned()],
                vec![&"第496条永久记忆".to_owned()]
            )
        );
        // The line stands under no heading of an empty file.
        assert_eq!(
            read_core("- 用户叫李雷", &format, "FACT").lines[0].kind,
            "FACT"
        );
    }

    #[test]
    fn text_of_a_persons_own_is_set_aside_with_its_line() {
        let text = "# 核心记忆\n\n1. 回复用中文\n请先问我\n\n| a |\n\n## 规则约束\n- 一\n  还有\n-\n## Mine\n* 二\n";
        let file = read_core(text, &memory(), "FACT");
        let lines: Vec<(&str, &str, usize)> = file
            .lines
            .iter()
            .map(|l| (l.kind.as_str(), l.content.as_str(), l.line))
            .collect();
        assert_eq!(lines, [("RULE", "一", 9), ("FACT", "二", 13)]);
        let rejected: Vec<(usize, &str)> = file
            .rejected
            .iter()
            .map(|r| (r.line, r.text.as_str()))
            .collect();
        assert_eq!(
            rejected,
            [
                (3, "1. 回复用中文\n请先问我\n\n| a |"),
                (10, "  还有\n-"),
                (12, "## Mine")
            ]
        );
        let told: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            told[2],
            "line 12: this is no heading of the file; what is below it is of the kind FACT"
        );
        assert_eq!(told.len(), 3);
        let written = render_core(&[line("RULE", "一", 0.5)], &memory());
        assert_eq!(read_core(&written, &memory(), "FACT").rejected, []);
        assert_eq!(
            read_core("# 我的记忆\n", &memory(), "FACT").rejected.len(),
            1,
            "another title"
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_lines_survive_and_any_text_is_read(
            contents in proptest::collection::vec("\\PC{0,20}|[#<!\\\\ \n-]{0,8}", 0..20),
            text in ".*",
        ) {
            let lines: Vec<CoreLine> = contents.iter().map(|c| line("RULE", c, 0.5)).collect();
            let format = memory();
            let file = read_core(&render_core(&lines, &format), &format, "FACT");
            let mut read: Vec<String> = file.lines.into_iter().map(|l| l.content).collect();
            let mut wanted: Vec<String> = contents.iter().map(|c| one_line(c)).filter(|c| !c.is_empty()).collect();
            read.sort();
            wanted.sort();
            proptest::prop_assert_eq!(read, wanted);
            // Every letter of a text is in a line or set aside, but for titles and headings.
            let file = read_core(&text, &format, "FACT");
            let lines = file.lines.iter().map(|l| l.content.as_str());
            let kept: String = lines.chain(file.rejected.iter().map(|r| r.text.as_str())).collect();
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            if !text.contains('#') {
                proptest::prop_assert_eq!(letters(&kept), letters(&text));
            }
        }
    }
}
