use annals_types::Timestamp;

use crate::Zone;

/// Date, time and weekday: `2026-01-03 18:00 星期六`.
pub(super) fn told(now: Timestamp, zone: &Zone) -> String {
    const DAYS: [&str; 7] = ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"];
    let number = zone.civil(now).date().weekday().to_monday_zero_offset();
    let day = usize::try_from(number).ok().and_then(|at| DAYS.get(at)).copied().unwrap_or_default();
    format!("{} {day}", zone.minutes(now))
}
