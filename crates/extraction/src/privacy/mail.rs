use super::scan::Scan;
use super::{Finding, Sensitive};

/// How far back a local part, or the beginning of a web address, is looked for. Without an end to it a text of nothing but such signs would take
/// the square of its length.
const LONGEST: usize = 256;

/// E-mail addresses: a local part, `@`, a name with a dot, letters at the end.
pub(super) fn find(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for sign in scan.places(b"@") {
        let local = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
        let mut start = sign;
        while sign - start < LONGEST && start > 0 && local(scan.before(start)) {
            start -= 1;
        }
        let start = scan.run(start, |b| matches!(b, b'.' | b'-'));
        let mut end = scan.run(sign + 1, |b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
        while matches!(scan.before(end), b'.' | b'-') && end > sign + 1 {
            end -= 1;
        }
        // The user of a web address, and perhaps its password, are no mailbox.
        let mut word = start;
        while start - word < LONGEST
            && word > 0
            && scan.before(word) > b' '
            && scan.before(word) < 0x7F
            && scan.before(word) != b'/'
        {
            word -= 1;
        }
        if scan.words(word.saturating_sub(3)..word) == "://" {
            continue;
        }
        let host = scan.slice(sign + 1..end);
        let mut labels = host.rsplit(|b| *b == b'.');
        let top = labels.next().unwrap_or_default();
        let named = labels.clone().next().is_some() && labels.all(|label| !label.is_empty());
        let ends_well = (2..=18).contains(&top.len()) && top.iter().all(u8::is_ascii_alphabetic);
        if start < sign && named && ends_well {
            found.push(scan.finding(Sensitive::Email, start..end));
        }
    }
}
