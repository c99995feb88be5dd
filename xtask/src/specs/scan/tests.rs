//! Sources that keep the rules of citing, and sources that break them.

use super::*;

fn cites(source: &str) -> Vec<(String, String)> {
    let found = scan(source);
    assert_eq!(found.problems, []);
    let cites = |test: &Test| {
        test.cites
            .iter()
            .map(|cite| (test.path.clone(), cite.id.clone()))
            .collect::<Vec<_>>()
    };
    found.tests.iter().flat_map(cites).collect()
}

fn cite(path: &str, id: &str) -> (String, String) {
    (path.to_owned(), id.to_owned())
}

/// The only problem of a source, and its line.
fn problem(source: &str) -> (usize, String) {
    let mut problems = scan(source).problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn a_test_cites_what_its_body_says() {
    let source = "#[test]\nfn walks() -> Done {\n    // spec: G-02, G-52\n    if deep { /* x */ }\n    // spec: G-84\n}\n";
    let found = scan(source);
    assert_eq!(
        found.tests[0].cites[2],
        Cite {
            id: "G-84".to_owned(),
            line: 5,
            missing: String::new()
        }
    );
    assert_eq!(
        cites(source),
        [
            cite("walks", "G-02"),
            cite("walks", "G-52"),
            cite("walks", "G-84")
        ]
    );
}

#[test]
fn modules_nest_and_end() {
    let source = "
        mod other;
        mod outer {
            fn plain<T: Fn() -> [u8; 2]>() { let _: fn(u8) = x; }
            mod inner { #[test] fn first() { // spec: C-01
            } }
            #[test] fn second() { call(|| { // spec: C-02
            }) }
        }
        #[test] pub(crate) fn third() { // spec: C-03
        }";
    let expected = [
        cite("outer::inner::first", "C-01"),
        cite("outer::second", "C-02"),
        cite("third", "C-03"),
    ];
    assert_eq!(cites(source), expected);
}

#[test]
fn every_kind_of_test_counts() {
    let source = "
        #[tokio::test(flavor = \"multi_thread\")]
        #[expect(clippy::unwrap_used, reason = \"a test]\")]
        async fn waits() { // spec: A-01
        }
        proptest! {
            #![proptest_config(cases(8))]
            /// Words.
            #[test]
            fn draws(n in 0..9, m in { let k = 3; 0..k }) { // spec: A-02
            }
        }
        #[test] fn nests() { fn inner() { // spec: A-100
        } }";
    assert_eq!(
        cites(source),
        [
            cite("waits", "A-01"),
            cite("draws", "A-02"),
            cite("nests", "A-100")
        ]
    );
}

#[test]
fn what_stands_in_strings_is_no_citation() {
    let source = "
        #[test] fn quotes() {
            let a = \"\n// spec: C-01\n}\"; let b = r#\"\" // spec: C-02 } \"#; let c = '}'; let d = '\"';
            // Of spec: C-03 and `// spec: C-04` a comment may speak.
            // spec: C-05
        }";
    assert_eq!(cites(source), [cite("quotes", "C-05")]);
}

#[test]
fn more_than_four_are_too_many() {
    let four = "#[test] fn a() { // spec: C-01, C-02, C-03, C-04\n // spec: C-04\n }";
    assert_eq!(cites(four).len(), 4);
    let (line, reason) = problem("#[test] fn a() { // spec: C-01, C-02, C-03, C-04, C-05\n }");
    assert_eq!(
        (line, reason.as_str()),
        (1, "a cites 5 requirements, at most 4 may be")
    );
    let (line, _) = problem("#[test] fn a() { // spec: C-01, C-02, C-03\n // spec: C-04, C-05\n }");
    assert_eq!(line, 2);
}

#[test]
fn a_part_says_what_is_missing() {
    let found = scan(
        "#[test] fn a() { // spec: C-01\n // part: C-02, C-03; nobody asks\n // part: C-04\n }",
    );
    assert_eq!(found.problems, []);
    let part = |id: &str, line, missing: &str| Cite {
        id: id.to_owned(),
        line,
        missing: missing.to_owned(),
    };
    let parts = [
        part("C-02", 2, "nobody asks"),
        part("C-03", 2, "nobody asks"),
        part("C-04", 3, ""),
    ];
    assert_eq!(
        (found.tests[0].cites.len(), &found.tests[0].parts[..]),
        (1, &parts[..])
    );
}

#[test]
fn outside_a_test_nothing_is_cited() {
    for source in [
        "// spec: C-01",
        "//! spec: C-01",
        "fn plain() { // spec: C-01\n }",
        "#[test] fn a() {} fn plain() { // spec: C-01\n }",
        "#[cfg(test)] mod tests { // spec: C-01\n #[test] fn a() {} }",
        "#[cfg(not(test))] fn plain() { // spec: C-01\n }",
        "#[cfg_attr(slow, test)] fn plain() { // spec: C-01\n }",
        "// spec: C-01\n#[test] fn a() {}",
        "#[test]\n/// spec: C-01\nfn a() {}",
        "#[test] fn a(b: Vec< // spec: C-01\nu8>) {}",
        "#[test] macro! { } fn plain() { // spec: C-01\n }",
        "#[test] use x; fn plain() { // spec: C-01\n }",
    ] {
        let (_, reason) = problem(source);
        assert_eq!(reason, "C-01 cited outside a test", "{source}");
    }
}

#[test]
fn a_macro_names_no_test() {
    let (_, reason) =
        problem("macro_rules! m { ($n:ident) => { #[test] fn $n() { // spec: C-01\n } } }");
    assert_eq!(reason, "C-01 cited by a test that a macro names");
    let source =
        "macro_rules! m { (fn $n:ident) => { mod $n {} } } #[test] fn a() { // spec: C-01\n }";
    assert_eq!(cites(source), [cite("a", "C-01")]);
}

#[test]
fn what_is_no_id_is_refused() {
    let reason = |ids: &str| problem(&format!("#[test] fn a() {{ // {ids}\n }}")).1;
    assert_eq!(reason("spec: C-1"), "`C-1` is no id of a requirement");
    assert_eq!(
        reason("spec: C-01 and more"),
        "`C-01 and more` is no id of a requirement"
    );
    assert_eq!(reason("spec: C-01,"), "`` is no id of a requirement");
    assert_eq!(
        reason("Spec: C-01"),
        "write `// spec:` or `// part:`, not `Spec:`"
    );
    assert_eq!(
        reason("parts: C-01"),
        "write `// spec:` or `// part:`, not `parts:`"
    );
    assert_eq!(
        reason("spec: C-01; not all"),
        "`C-01; not all` is no id of a requirement"
    );
}

#[test]
fn tests_of_python_are_methods_of_classes() {
    let source = "import os\n\nclass Studio(PageTest):\n    def setUp(self):\n        pass\n\n    \
def test_one(self):\n        # spec: S-106, S-107\n        page = 1\n        # part: S-108; half\n\n    \
def helper(self):\n        # spec: S-109\n\n    def test_two(self):\n        # Spec: S-110\n        \
pass\n\ndef main():\n    # spec: S-111\n    pass\n";
    let found = scan_python(source);
    let paths: Vec<_> = found.tests.iter().map(|test| test.path.as_str()).collect();
    assert_eq!(paths, ["Studio.test_one", "Studio.test_two"]);
    let ids = |cites: &[Cite]| cites.iter().map(|cite| cite.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        (ids(&found.tests[0].cites), ids(&found.tests[0].parts)),
        (
            vec!["S-106".to_owned(), "S-107".to_owned()],
            vec!["S-108".to_owned()],
        )
    );
    assert_eq!(
        (
            found.tests[0].cites[0].line,
            found.tests[0].parts[0].missing.as_str()
        ),
        (8, "half")
    );
    let told: Vec<_> = found
        .problems
        .iter()
        .map(|(line, reason)| (*line, reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (13, "S-109 cited outside a test"),
            (16, "write `# spec:` or `# part:`, not `Spec:`"),
            (20, "S-111 cited outside a test"),
        ]
    );
}
