//! The openings of wishes, as data.

/// The language of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Chinese,
}

/// The wish of a message that begins with an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Remember,
    Forget,
    ForgetAll,
    /// Nothing, though a shorter opening says otherwise: 记住了 reports.
    Nothing,
}

use Language::{Chinese, English};
use Verb::{Forget, ForgetAll, Nothing, Remember};

/// Openings in lower case. The text is what follows; it begins behind `|` where one stands, so that
/// "remember |i" finds "I ski" in "remember I ski". Behind `$` the message ends. The longest
/// opening counts.
pub(super) const OPENINGS: [(Language, &str, Verb); 49] = [
    (English, "remember$", Remember),
    (English, "remember:", Remember),
    (English, "remember,", Remember),
    (English, "remember that", Remember),
    (English, "remember |this", Remember),
    (English, "remember |what i", Remember),
    (English, "remember |i", Remember),
    (English, "remember |my", Remember),
    (English, "remember |we", Remember),
    (English, "remember to", Remember),
    (English, "don't forget that", Remember),
    (English, "don't forget |i", Remember),
    (English, "don't forget |my", Remember),
    (English, "keep in mind that", Remember),
    (English, "make a note that", Remember),
    (English, "make a note:", Remember),
    (English, "note that", Remember),
    (English, "forget that", Forget),
    (English, "forget |this", Forget),
    (English, "forget |what i", Forget),
    (English, "forget |where", Forget),
    (English, "forget |i", Forget),
    (English, "forget |my", Forget),
    (English, "forget everything$", ForgetAll),
    (English, "forget everything about me$", ForgetAll),
    (English, "forget everything you know about me$", ForgetAll),
    (English, "forget all you know about me$", ForgetAll),
    (Chinese, "记住", Remember),
    (Chinese, "记住了", Nothing),
    (Chinese, "记一下", Remember),
    (Chinese, "记下来", Remember),
    (Chinese, "记下", Remember),
    (Chinese, "记着", Remember),
    (Chinese, "记得|我", Remember),
    (Chinese, "别忘了|我", Remember),
    (Chinese, "不要忘了|我", Remember),
    (Chinese, "忘掉", Forget),
    (Chinese, "忘记|我", Forget),
    (Chinese, "忘记|这", Forget),
    (Chinese, "忘记|那", Forget),
    (Chinese, "忘掉一切$", ForgetAll),
    (Chinese, "忘掉所有$", ForgetAll),
    (Chinese, "忘掉所有的事$", ForgetAll),
    (Chinese, "忘掉关于我的一切$", ForgetAll),
    (Chinese, "忘记一切$", ForgetAll),
    (Chinese, "忘记所有$", ForgetAll),
    (Chinese, "忘记所有的事$", ForgetAll),
    (Chinese, "忘记关于我的一切$", ForgetAll),
    (Chinese, "把一切都忘掉$", ForgetAll),
];

/// Words before an opening that only ask kindly.
pub(super) const POLITE: [(Language, &str); 5] = [
    (English, "please"),
    (Chinese, "请你"),
    (Chinese, "请"),
    (Chinese, "麻烦"),
    (Chinese, "帮我"),
];

/// Words that stand for what was said before.
pub(super) const BEFORE: [(Language, &str); 16] = [
    (English, "this"),
    (English, "that"),
    (English, "it"),
    (English, "what i said"),
    (English, "what i just said"),
    (English, "what i told you"),
    (English, "what i just told you"),
    (Chinese, "这个"),
    (Chinese, "那个"),
    (Chinese, "这件事"),
    (Chinese, "那件事"),
    (Chinese, "这些"),
    (Chinese, "它"),
    (Chinese, "我刚才说的"),
    (Chinese, "我刚才说的话"),
    (Chinese, "上一条消息"),
];
