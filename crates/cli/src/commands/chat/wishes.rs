//! Plain wishes about the memory in the middle of a conversation.

use annals::HandledCommand;

use super::shown;
use super::talk::Talk;
use crate::app::App;
use crate::expiry::expiry;
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Does what a message asks outright to be remembered or forgotten, or what was asked about before;
/// answers whether it did.
pub(super) fn handle(
    talk: &mut Talk<'_>,
    text: &str,
    app: &mut App<'_, '_>,
) -> Result<bool, Failure> {
    talk.remembered = false;
    let done = match talk.to_forget.take() {
        Some(asked) if says_yes(text) => talk.namespace.reviews().confirm(asked),
        Some(_) if says_no(text) => Ok(HandledCommand::Declined {
            message: text.to_owned(),
        }),
        _ => talk.namespace.session(talk.session).handle_command(text),
    };
    let handled = match done {
        Ok(handled) => handled,
        Err(error) => {
            app.note(&text!(
                "chat-not-done",
                message = visible::line(&Failure::from(error).message)
            ))?;
            return Ok(true);
        }
    };
    let Some(reply) = talk
        .namespace
        .session(talk.session)
        .reply(handled.clone())?
    else {
        return Ok(false);
    };
    talk.remembered = matches!(handled, HandledCommand::Remembered { .. });
    if !matches!(handled, HandledCommand::ToForget { .. }) {
        shown(&reply, app)?;
        if let HandledCommand::Remembered { id, .. } = &handled
            && let Some((note, _)) = expiry(talk.namespace, *id)?
        {
            app.note(&note)?;
        }
        if matches!(handled, HandledCommand::Everything { .. }) {
            let name = visible::line(talk.namespace.name()).into_owned();
            app.note(&text!("chat-delete-all", name))?;
        }
        return Ok(true);
    }
    talk.to_forget = Some(handled);
    shown(&reply, app)?;
    Ok(true)
}

fn says_yes(text: &str) -> bool {
    let said = text
        .trim_end_matches(['.', '!', '。', '！', '的', '吧'])
        .to_lowercase();
    [
        "y",
        "yes",
        "yes please",
        "ok",
        "sure",
        "是",
        "好",
        "对",
        "嗯",
        "确认",
        "可以",
        "忘掉",
    ]
    .contains(&said.as_str())
}

fn says_no(text: &str) -> bool {
    let said = text
        .trim_end_matches(['.', '!', '。', '！', '了'])
        .to_lowercase();
    [
        "n",
        "no",
        "no thanks",
        "不",
        "不是",
        "不要",
        "不用",
        "别",
        "取消",
        "算",
    ]
    .contains(&said.as_str())
}
