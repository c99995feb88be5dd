//! SQLite databases, read without SQLite: the rows of a table, with what the log beside the file
//! says. Nothing is written, no query is run, and a hostile file ends in an error.
//!
//! The form of the file is that of <https://www.sqlite.org/fileformat2.html>.

use std::collections::HashMap;

use annals_engine::Error;

pub(super) use super::sqlite_row::Cell;
use super::sqlite_row::{cells, columns, varint};

/// Pages that are followed from one to the next.
const MOST_PAGES: usize = 50_000_000;
/// The longest row.
const ROW_BYTES: usize = 64 << 20;
/// Pages below each other.
const DEPTH: usize = 40;

/// What is read at a place.
pub(super) trait ReadAt {
    /// Fills a buffer from a place on; answers how many bytes there were.
    fn read_at(&mut self, place: u64, into: &mut [u8]) -> std::io::Result<usize>;
}

impl<T: std::io::Read + std::io::Seek> ReadAt for T {
    fn read_at(&mut self, place: u64, into: &mut [u8]) -> std::io::Result<usize> {
        self.seek(std::io::SeekFrom::Start(place))?;
        let mut read = 0;
        while let Some(rest) = into.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match self.read(rest)? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    }
}

/// A table, by its first page and the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    root: u32,
    pub(super) columns: Vec<String>,
    /// The column that stands for the number of the row, whose value is not written.
    numbered: Option<usize>,
}

/// Takes a row with its number.
type TakeRow<'f> = dyn FnMut(i64, &[Cell]) -> Result<(), Error> + 'f;

/// A database.
pub(super) struct Database {
    file: Box<dyn ReadAt>,
    log: Option<Log>,
    page_size: usize,
    /// Bytes of a page that are used.
    usable: usize,
}

/// The log beside a file: newer pages, by their numbers.
struct Log {
    file: Box<dyn ReadAt>,
    pages: HashMap<u32, u64>,
}

fn damaged(what: &str) -> Error {
    Error::bad_input(format!("the SQLite database is damaged: {what}"))
}

fn unreadable(error: std::io::Error) -> Error {
    Error::io("reading an SQLite database".to_owned(), error)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes(
        *bytes.get(at..)?.first_chunk()?,
    )))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl Database {
    /// Opens a database, with the log beside it where there is one.
    ///
    /// # Errors
    /// Where it is none, or encrypted.
    pub(super) fn open(
        mut file: Box<dyn ReadAt>,
        log: Option<Box<dyn ReadAt>>,
    ) -> Result<Self, Error> {
        let mut head = [0; 100];
        if file.read_at(0, &mut head).map_err(unreadable)? < head.len()
            || !head.starts_with(b"SQLite format 3\0")
        {
            return Err(damaged("it has no head"));
        }
        let page_size = match u16_at(&head, 16) {
            Some(1) => 65_536,
            Some(size) if size.is_power_of_two() && size >= 512 => size,
            _ => return Err(damaged("its pages have no size")),
        };
        let reserved = usize::from(head.get(20).copied().unwrap_or_default());
        let usable = page_size
            .checked_sub(reserved)
            .filter(|usable| *usable >= 480);
        let usable = usable.ok_or_else(|| damaged("its pages are too small"))?;
        let log = log
            .map(|file| Log::read(file, page_size))
            .transpose()?
            .flatten();
        Ok(Self {
            file,
            log,
            page_size,
            usable,
        })
    }

    fn page(&mut self, number: u32) -> Result<Vec<u8>, Error> {
        let mut page = vec![0; self.page_size];
        let newer = self
            .log
            .as_ref()
            .and_then(|log| log.pages.get(&number).copied());
        let read = match (newer, &mut self.log) {
            (Some(place), Some(log)) => log.file.read_at(place, &mut page),
            _ => {
                let before = number
                    .checked_sub(1)
                    .ok_or_else(|| damaged("a page has no number"))?;
                let size = u64::try_from(self.page_size).unwrap_or(0);
                self.file
                    .read_at(u64::from(before).saturating_mul(size), &mut page)
            }
        };
        if read.map_err(unreadable)? < self.page_size {
            return Err(damaged("a page is not there"));
        }
        Ok(page)
    }

    /// The names of its tables.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(super) fn tables(&mut self) -> Result<Vec<String>, Error> {
        let schema = Table {
            root: 1,
            columns: Vec::new(),
            numbered: None,
        };
        let mut found = Vec::new();
        self.rows(&schema, &mut |_, row| {
            if let [kind, name, ..] = row
                && kind.text() == Some("table")
            {
                found.extend(name.text().map(str::to_owned));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The table of a name.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn table(&mut self, name: &str) -> Result<Option<Table>, Error> {
        let schema = Table {
            root: 1,
            columns: Vec::new(),
            numbered: None,
        };
        let mut found = None;
        self.rows(&schema, &mut |_, row| {
            if let [kind, own, _, root, sql] = row
                && kind.text() == Some("table")
                && own.text() == Some(name)
                && let (Cell::Int(root), Some(sql)) = (root, sql.text())
            {
                let (columns, numbered) = columns(sql);
                found = u32::try_from(*root).ok().map(|root| Table {
                    root,
                    columns,
                    numbered,
                });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Gives each row of a table with its number.
    ///
    /// # Errors
    /// When it cannot be read, or those of `take`.
    pub(super) fn rows(&mut self, table: &Table, take: &mut TakeRow<'_>) -> Result<(), Error> {
        let mut seen = 0;
        let mut waiting = vec![(table.root, 0)];
        while let Some((number, depth)) = waiting.pop() {
            seen += 1;
            if seen > MOST_PAGES || depth > DEPTH {
                return Err(damaged("its pages go round in circles"));
            }
            let page = self.page(number)?;
            let start = if number == 1 { 100 } else { 0 };
            let head = page.get(start..).unwrap_or_default();
            let count = u16_at(head, 3).unwrap_or_default();
            let (size, is_leaf) = match head.first() {
                Some(13) => (8, true),
                Some(5) => (12, false),
                _ => return Err(damaged("a page of a table is none")),
            };
            let cell = |at: usize| {
                u16_at(head, size + 2 * at).ok_or_else(|| damaged("a cell is not there"))
            };
            if is_leaf {
                for at in 0..count {
                    let (row, cells) = self.row(table, &page, cell(at)?)?;
                    take(row, &cells)?;
                }
                continue;
            }
            // The last child first, so that rows come in their order.
            waiting.extend(u32_at(head, 8).map(|child| (child, depth + 1)));
            for at in (0..count).rev() {
                let child =
                    u32_at(&page, cell(at)?).ok_or_else(|| damaged("a page has no child"))?;
                waiting.push((child, depth + 1));
            }
        }
        Ok(())
    }

    /// The row whose cell begins at a place of a page.
    fn row(&mut self, table: &Table, page: &[u8], at: usize) -> Result<(i64, Vec<Cell>), Error> {
        let short = || damaged("a row ends too early");
        let cell = page.get(at..).ok_or_else(short)?;
        let (length, first) = varint(cell).ok_or_else(short)?;
        let (number, second) = varint(cell.get(first..).ok_or_else(short)?).ok_or_else(short)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= ROW_BYTES);
        let length = length.ok_or_else(|| damaged("a row is too long"))?;
        let rest = cell.get(first + second..).ok_or_else(short)?;
        let local = self.local(length);
        let mut payload = rest.get(..local.min(length)).ok_or_else(short)?.to_vec();
        let mut next = if local < length {
            u32_at(rest, local)
        } else {
            None
        };
        while payload.len() < length {
            let number = next.filter(|number| *number != 0).ok_or_else(short)?;
            let more = self.page(number)?;
            next = u32_at(&more, 0);
            let room = (self.usable - 4).min(length - payload.len());
            payload.extend_from_slice(more.get(4..4 + room).ok_or_else(short)?);
        }
        let number = number.cast_signed();
        let mut cells = cells(&payload).ok_or_else(short)?;
        if let Some(own) = table
            .numbered
            .and_then(|at| cells.get_mut(at))
            .filter(|own| **own == Cell::Null)
        {
            *own = Cell::Int(number);
        }
        Ok((number, cells))
    }

    /// How many bytes of a row stand in its page.
    fn local(&self, length: usize) -> usize {
        let most = self.usable - 35;
        if length <= most {
            return length;
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let kept = least + (length - least) % (self.usable - 4);
        if kept <= most { kept } else { least }
    }
}

impl Log {
    /// The pages of all transactions that were carried out.
    fn read(mut file: Box<dyn ReadAt>, page_size: usize) -> Result<Option<Self>, Error> {
        let mut head = [0; 32];
        if file.read_at(0, &mut head).map_err(unreadable)? < head.len() {
            return Ok(None);
        }
        let magic = u32_at(&head, 0).unwrap_or_default();
        let size = u32_at(&head, 8).and_then(|size| usize::try_from(size).ok());
        if magic & 0xffff_fffe != 0x377f_0682 || size != Some(page_size) {
            return Ok(None);
        }
        let salts = head.get(16..24).unwrap_or_default().to_vec();
        let (mut pages, mut open) = (HashMap::new(), HashMap::new());
        let mut place = 32_u64;
        let mut frame = [0; 24];
        while file.read_at(place, &mut frame).map_err(unreadable)? == frame.len()
            && frame.get(8..16) == Some(&salts)
        {
            let number = u32_at(&frame, 0).unwrap_or_default();
            open.insert(number, place + 24);
            // The last frame of a transaction says how many pages the database has.
            if u32_at(&frame, 4).is_some_and(|pages| pages > 0) {
                pages.extend(open.drain());
            }
            place = place
                .saturating_add(24)
                .saturating_add(u64::try_from(page_size).unwrap_or(0));
        }
        Ok(Some(Self { file, pages }))
    }
}
