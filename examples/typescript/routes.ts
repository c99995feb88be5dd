// Made of docs/openapi.json: run `cargo xtask typescript` after the routes have changed.

/** `add(text, metadata)`. */
export type AddKnowledge = {
  /** Free fields; `category` is the kind of the memory, `importance` how much it matters. */
  metadata?: { [name: string]: MetadataValue };
  /** What is known. */
  text: string;
};

/** How a memory was received. */
export type Added = {
  /**
   * `new`; `known` where one said the same already, whose id this is; `replaced` where a known
   * one says this now.
   */
  admission: Admission;
  /** The kinds of secrets that were masked before it was stored. */
  masked?: string[];
  /** The memory as it is stored. */
  memory: Memory;
};

export type Admission = "new" | "known" | "replaced";

/** Whether the memory answers a question. */
export type Answered = {
  /** The least probability with which anything comes into a prompt. */
  least: number;
  /** Whether it probably does. */
  likely: boolean;
  /** The probability, 0 to 1. */
  probability: number;
};

/** An attached file. */
export type Attachment = {
  /** What it shows. */
  caption?: string | null;
  /** Its media type. */
  media_type?: string | null;
  /** Where it is. */
  uri: string;
};

/** A line that was left out. */
export type BadLine = {
  /** Its number, from 1 on. */
  line: number;
  /** Why. */
  reason: string;
};

/** Whether something was begun. */
export type Begun = {
  /** Whether there was anything to do. */
  begun: boolean;
};

/** What is done. */
export type BulkAction = "forget" | "archive" | "restore" | "delete";

/** Memories that pass a filter, of any status where it names none. */
export type BulkBody = {
  /** Only tell which they are. */
  dry_run?: boolean;
  /** Which memories. */
  filter: Filter;
};

/** What was done. */
export type BulkDone = {
  /** How many memories were asked for, or pass the filter. */
  asked: number;
  receipt?: Receipt | null;
};

export type Change = "stored" | "edited" | "forgotten" | "archived" | "restored" | "adjusted" | "linked" | "told" | "synced" | "decided";

/** What happened to a triple. */
export type ChangeWord = "new" | "ended" | "gone";

export type Channel = "text" | "vector" | "neighbour" | "time" | "graph" | "node";

/** A message to the model. */
export type ChatBody = {
  /** What was said before, the oldest first. */
  earlier?: ChatMessage[];
  /** What is said. */
  message: string;
  /** The conversation. */
  session: string;
  /** Whether nothing is kept of it, and no memory is used. */
  temporary?: boolean;
};

/** A message of a conversation. */
export type ChatMessage = {
  /** Who said it. */
  by: ChatRole;
  /** What was said. */
  text: string;
};

/** What the model answered. */
export type ChatReply = {
  /** What was learnt from the round. */
  remembered: Memory[];
  /** The answer. */
  reply: string;
  /** The memories that it may rest on, where the profile shows them. */
  used: UsedMemory[];
};

/** Who says something to whom. */
export type ChatRole = "user" | "assistant";

/** A condition that a memory can fail. */
export type Condition = "stored" | "replaced" | "status" | "layer" | "kind" | "session" | "speaker" | "tag" | "time" | "valid_at" | "expired" | "other";

/** What of the memory belongs in a prompt. */
export type Context = {
  /** The memories in it. */
  ids: MemoryId[];
  /** Memories that had no room. */
  left_out: number;
  /** The text for the prompt; empty where nothing belongs in it. */
  text: string;
  /** Its tokens, as they are counted. */
  tokens: number;
  /** Why it was searched by words only, when it was. */
  without_vectors?: string | null;
};

/** What is asked for a prompt. */
export type ContextBody = {
  /** The program that the prompt is for, as `injections` shows it. */
  agent?: string | null;
  /** The moment of the message. */
  at?: string | null;
  /** Messages before it, oldest first. */
  earlier?: string[];
  /** Tokens at most, in place of what the profile says; 0 is no limit. */
  max_tokens?: number | null;
  /** The message that is to be answered; without one nothing is recalled. */
  message?: string | null;
  /** Count no use of the memories, and note nothing. So it is for a token that may not write. */
  peek?: boolean;
  /** The conversation that is going on. */
  session?: string | null;
};

/** A part of a conversation. */
export type Conversation = {
  /** The conversation; messages of the same one follow each other. */
  conversationId?: number | null;
  /** The messages, the oldest first. */
  messages: Message[];
};

/** What calls of a model cost on a day. */
export type Cost = {
  /** Its calls. */
  calls: number;
  /** What it cost, in the currency of the prices; 0 without any. */
  cost: number;
  /** The day. */
  day: string;
  /** Whether the tokens are estimated. */
  estimated: boolean;
  /** Those that failed. */
  failed: number;
  /** Tokens that it read. */
  input_tokens: number;
  /** The model. */
  model: string;
  /** Tokens that it wrote. */
  output_tokens: number;
  /** What it was asked for. */
  purpose: string;
};

/** What language models cost. */
export type Costs = {
  /** The oldest day first. */
  costs: Cost[];
};

/** Whether a use counted, and if not, why. */
export type CountedWord = string;

/** A decision about memories. */
export type Decision = {
  /** The answer. */
  answer: string;
  /** When. */
  at: string;
  /** Who decided. */
  by: string;
  /** Whether it can be taken back. */
  can_be_undone: boolean;
  /** What it changed. */
  changes: string[];
  /** The memories. */
  memories: MemoryId[];
  /** Its number. */
  number: number;
  /** What was asked. */
  question: QuestionWord;
  /** Why. */
  reason: string;
  /** When it was taken back. */
  undone_at?: string | null;
};

/** Decisions. */
export type Decisions = {
  /** The newest first. */
  decisions: Decision[];
};

/** `delete(id)`. */
export type DeleteKnowledge = {
  /** The memory. */
  id: MemoryId;
};

/** What a memory was derived from, and what was derived from it. */
export type Derivations = {
  /** Its sources. */
  from: MemoryId[];
  /** What was made of it. */
  into: MemoryId[];
};

/** A triple or a link. */
export type Edge = {
  /** The node that it leaves. */
  from: string;
  /** What it says. */
  predicate: string;
  /** The node that it reaches. */
  to: string;
};

/** A change of a memory: what is absent stays, what is `null` is taken away. */
export type EditMemory = {
  /** How sure it is, 0 to 1. */
  confidence?: number | null;
  /** When it happened. */
  event_time?: string | null;
  /** When it goes by itself. */
  expires_at?: string | null;
  /** How much it matters. */
  importance?: number | null;
  /** Its kind. */
  kind?: string | null;
  /** Its free fields, all of them. */
  metadata?: { [name: string]: MetadataValue } | null;
  /** Where it comes from; a new text without one has none. */
  source?: string | null;
  /** Its tags, all of them. */
  tags?: string[] | null;
  /** What it says from now on; the text before stays in its history. */
  text?: string | null;
  /** From when on it is true. */
  valid_from?: string | null;
  /** Until when it is true. */
  valid_until?: string | null;
  /** Whether a person confirmed it. */
  verified?: boolean | null;
};

/** Things that memories speak of. */
export type Entities = {
  /** By number. */
  entities: Entity[];
};

/** A thing that memories speak of. */
export type Entity = {
  /** Its other names. */
  aliases: string[];
  /** Its triples. */
  degree: number;
  /** Its number. */
  id: number;
  /** Its kind. */
  kind?: string | null;
  /** Its name. */
  name: string;
};

/** A page of entities. */
export type EntityPage = {
  /** In the order of their finding. */
  entities: Entity[];
  /** Where the next page begins: the parameter `after`. */
  next?: number | null;
  /** How many there are on all pages. */
  total: number;
};

/** The data of an event. */
export type Event = {
  /** How many memories it was about. */
  count: number;
  id?: MemoryId | null;
  memory?: Memory | null;
  /** Its number, counted from 0 without gaps; the `id` of the event. */
  seq: number;
  /** When it happened. */
  time: string;
};

/** A memory that says it. */
export type Evidence = {
  /** Since when it says so. */
  at: string;
  /** The memory. */
  memory: MemoryId;
  /** Whether it counts now: it is neither hidden nor out of force. */
  supports: boolean;
  /** Its text. */
  text: string;
};

/** The memories that were made of a conversation. */
export type ExtractedIds = {
  /** Their ids in the engine. */
  ids: MemoryId[];
};

/** A triple, and what supports it. */
export type Fact = {
  /** Under which condition. */
  condition?: string | null;
  /** How sure it is, 0 to 1. */
  confidence: number;
  /** How many memories say so. */
  evidence: number;
  /** Its number. */
  id: number;
  /** Whether it says that it is not so. */
  negated: boolean;
  /** What it leads to. */
  object: string;
  /** What it says. */
  predicate: string;
  /** Since when it is known. */
  since: string;
  /** What it speaks of. */
  subject: string;
  /** When it begins to hold. */
  valid_from?: string | null;
  /** When it ceases to hold. */
  valid_until?: string | null;
};

/** A change of what is held true. */
export type FactChange = {
  /** When; absent for one that nothing says any more. */
  at?: string | null;
  /** What happened to it. */
  change: ChangeWord;
  /** The triple. */
  fact: Fact;
};

/** A page of changes. */
export type FactChanges = {
  /** Whether all triples were looked at: the first 20,000 are. */
  all: boolean;
  /** The last one first. */
  changes: FactChange[];
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** How many there are on all pages. */
  total: number;
};

/** A page of what will fade. */
export type Fading = {
  /** Whether all memories were looked at: the first 20,000 are. */
  all: boolean;
  /** What is due first comes first. */
  fading: FadingMemory[];
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** How many there are on all pages. */
  total: number;
};

/** A memory about which a rule may have something to do. */
export type FadingMemory = {
  /** When a rule may have something to do about it, at the earliest, or it expires. */
  due_at: string;
  /** The memory. */
  memory: Memory;
  /** Its score now. */
  score: number;
};

export type Feature = "own" | "dense" | "text" | "window" | "context" | "speaker" | "time" | "asks_time" | "answers" | "graph" | "importance" | "recency" | "usage" | "validity" | "confidence" | "role" | "tells";

/** A field that is wrong. */
export type FieldProblem = {
  /** What is wrong with it. */
  detail: string;
  /** The field: a JSON pointer into the body, or the name of a parameter. */
  field: string;
};

/** Sizes and counts of the whole file. */
export type FileStats = {
  /** The last commit. */
  commit: number;
  /** Numbers in a vector. */
  dims: number;
  /** The vector space that new memories are written to. */
  embedder: string;
  /** Bytes on disk. */
  file_bytes: number;
  /** Current memories in all of them. */
  memories: number;
  /** Bytes of memory that open namespaces take. */
  memory_bytes: number;
  /** Namespaces. */
  namespaces: number;
  /** The version of annals. */
  version: string;
};

/** The files of a form, as a browser sends them. */
export type FilesForm = {
  /** The files; each part says its name. */
  file: string[];
};

/** Which memories: those that pass every condition. An empty list is no condition. */
export type Filter = {
  /** Of one of these kinds. */
  kinds?: string[];
  /** Of one of these layers. */
  layers?: Layer[];
  /** Said in one of these conversations. */
  sessions?: string[];
  /** Happened at or after. */
  since?: string | null;
  /** Said by one of these speakers. */
  speakers?: string[];
  /** With one of these statuses; active without any. */
  statuses?: Status[];
  /** With all of these tags. */
  tags?: string[];
  /** Happened before. */
  until?: string | null;
  /** True at this moment. */
  valid_at?: string | null;
};

/** How many memories there were of each piece of time. */
export type Growth = {
  /** The pieces, the oldest first; none where nothing is remembered. */
  steps: GrowthStep[];
};

/** A piece of time. */
export type GrowthStep = {
  /** The beginning of the period. */
  from: string;
  /**
   * Memories of any status that are there and happened in it, or were stored in it where
   * nothing is known of when they happened.
   */
  memories: number;
  /** The end of the period, which is the beginning of the next one. */
  to: string;
};

/** That all is well. */
export type Health = {
  /** `ok`. */
  status: string;
};

/** How many memories were hidden. */
export type Hidden = {
  /** Their number. */
  forgotten: number;
};

/** A memory that answers. */
export type Hit = {
  /** The memory. */
  memory: Memory;
  newer?: MemoryId | null;
  /** Where the score comes from. */
  reasons: Reasons;
  /** How well it answers, 0 to 1. */
  score: number;
};

/** Memories by their ids. */
export type Ids = {
  /** Their ids. */
  ids: MemoryId[];
};

/** An import that can be taken back. */
export type ImportRun = {
  /** When it began: by this it is named. */
  began: string;
  /** Memories that it brought and that are there. */
  memories: number;
};

/** The last imports. */
export type ImportRuns = {
  /** The last one first; at most twenty. */
  imports: ImportRun[];
};

/** How much went with an import. */
export type ImportUndone = {
  /** Memories that were deleted, those among them that were made of others. */
  deleted: number;
};

/** What an import did. */
export type Imported = {
  /** Memories that were there already. */
  already_there: number;
  /** Lines that were left out, by the number of the line, with the reason. */
  bad: BadLine[];
  /** Lines that are done. */
  lines: number;
  /** Memories that were stored. */
  stored: number;
  /**
   * Lines of an export that are taken only with the rights `admin` and `delete`, by their kind,
   * such as `decision`: they were left out.
   */
  withheld?: { [name: string]: number };
};

/** What a file brought, or would bring. */
export type ImportedFile = {
  /** Those that were. */
  already_there: number;
  /** When it began: by this it is taken back. */
  began?: string | null;
  /**
   * Those that are there with other words, which were changed where the form says that they are
   * the same.
   */
  changed: number;
  /** Those that were deleted since an earlier import, and stay away. */
  deleted: number;
  /** Whether nothing was stored. */
  dry_run: boolean;
  /** The names of the formats that were found, such as `chatgpt`. */
  formats: string[];
  /** Entities, triples, links and decisions that were not there before. */
  graph: number;
  /** Which, and why; the first 200. */
  left_out: LeftOut[];
  /** The files of an archive that nothing was read of. */
  passed_over: number;
  /** Records that cannot be stored. */
  skipped: number;
  /** Memories that were not there before. */
  stored: number;
  /**
   * Lines of an export that are taken only with the rights `admin` and `delete`, by their kind,
   * such as `decision`: they are left out.
   */
  withheld?: { [name: string]: number };
};

/** A memory that stood in a prompt. */
export type InjectedMemory = {
  /** The memory. */
  id: MemoryId;
  /** The part of the prompt, as the profile names it. */
  part: string;
  /** What gave it most of its score; empty in parts that always stand there. */
  reasons: InjectionReason[];
  /** How well it answered, 0 to 1; in parts that always stand there its worth. */
  score: number;
  /** The text of the memory now. */
  text: string;
};

/** What was put into one prompt. */
export type Injection = {
  /** The program that asked for it. */
  agent?: string | null;
  /** When. */
  at: string;
  /** Memories that had no room. */
  left_out: number;
  /** The memories, in their order; those that were deleted since are missing. */
  memories: InjectedMemory[];
  /** The conversation. */
  session?: string | null;
  /** About how many tokens it had. */
  tokens?: number | null;
};

/** A feature that made a memory answer. */
export type InjectionReason = {
  /** The part of the score that it makes. */
  contribution: number;
  /** The feature. */
  feature: string;
};

/** A page of prompts. */
export type Injections = {
  /** The agents of all prompts that are kept, by name. */
  agents: string[];
  /** The last one first. */
  injections: Injection[];
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** How many there are on all pages; the last 200 prompts are kept. */
  total: number;
};

/** A stretch of time, its end excluded. */
export type Interval = {
  /** The first moment after. */
  end: string;
  /** The first moment inside. */
  start: string;
};

/** A job of a profile. */
export type Job = {
  /** Whether it is due. */
  due: boolean;
  /** How often it failed in a row. */
  failures: number;
  /** Its name. */
  job: string;
  /** When it ran last. */
  last_run?: string | null;
  /** When it runs next. */
  next?: string | null;
  /** The profile. */
  profile: string;
  /** What its steps did then. */
  steps: Step[];
  /** Whether it was stopped. */
  stopped: boolean;
};

/** The jobs of the profiles. */
export type Jobs = {
  /** By profile and name. */
  jobs: Job[];
};

/** By which rules a namespace lives, as far as people see them. */
export type Kinds = {
  /** Whether the server has a language model to talk with. */
  has_model: boolean;
  /** The kinds of memories, in its order. */
  kinds: ProfileKind[];
  /** The greatest score of a memory. */
  max_score: number;
  /** Tokens that a prompt gets at most; 0 is no limit. */
  max_tokens: number;
  /** The name of the profile. */
  profile: string;
  /** Whether replies show which memories they used. */
  show_references: boolean;
  /** The weights of the features of recall, those of relevance and the priors. */
  weights: { [name: string]: number };
};

/** The memory that an operation was about. */
export type KnowledgeId = {
  /** Its id. */
  id: MemoryId;
};

/** A thing that is known. */
export type KnowledgeRecord = {
  /** Its kind. */
  category: string;
  /** Its id. */
  id: MemoryId;
  /** How much it matters now. */
  importance: number;
  /** Its free fields. */
  metadata: { [name: string]: MetadataValue };
  /** How well it answers, in a search. */
  score?: number | null;
  /** What it says. */
  text: string;
};

/** What is known. */
export type KnowledgeRecords = {
  /** The best first, or the newest. */
  results: KnowledgeRecord[];
};

/** The language of prompts and labels. */
export type LanguageName = {
  /** A tag such as `en`, or `auto`; `null` for that of the profile. */
  language?: string | null;
};

export type Layer = "turn" | "working" | "episodic" | "semantic" | "core" | "system";

/** A record that is left out. */
export type LeftOut = {
  /** Its line, counted from 1. */
  line: number;
  /** Why. */
  reason: string;
};

/** A link between two memories. */
export type Link = {
  /** The memory that it leaves. */
  from: MemoryId;
  /** What it says. */
  relation: string;
  /** The memory that it reaches. */
  to: MemoryId;
  /** How much it matters, 0 to 1. */
  weight: number;
};

/** The links of a memory. */
export type Links = {
  /** Those from it and to it. */
  links: Link[];
};

/** Ids as somebody writes them down. */
export type ListedBody = {
  /** Change nothing, only tell what would go. */
  dry_run?: boolean;
  /** Ids with commas, spaces or line breaks between them. */
  list: string;
};

/** What became of the ids of a list. */
export type ListedDone = {
  /** What goes. */
  receipt: Receipt;
  /** What is kept, since the profile protects it. */
  skipped: MemoryId[];
  /** What is the id of no memory. */
  unknown: string[];
};

/** A token that was made: the only time that it is shown. */
export type MadeToken = {
  /** The secret. */
  secret: string;
  /** The token. */
  token: Token;
};

/** How jobs are run. */
export type MaintainBody = {
  /** Change nothing, only tell what would be done. */
  dry_run?: boolean;
  /** Also those that are not due. */
  force?: boolean;
};

/** Which jobs ran. */
export type Maintained = {
  /** In their order. */
  jobs: MaintainedJob[];
};

/** A job that ran, or would have. */
export type MaintainedJob = {
  /** Its name. */
  name: string;
  /** How many actions were planned, in a dry run. */
  planned: number;
  /** Its profile. */
  profile: string;
};

/** A page of memories. */
export type Memories = {
  /** The memories of this page. */
  memories: Memory[];
  /** Where the next page begins: the parameter `after`. Absent on the last page. */
  next?: string | null;
  /** How many memories pass the filter, on all pages. */
  total: number;
};

/** A memory with everything that is known of it. */
export type Memory = {
  /** How sure it is, 0 to 1. */
  confidence: number;
  /** When it happened. */
  event_time?: string | null;
  /** When it goes by itself. */
  expires_at?: string | null;
  /** Its id. */
  id: MemoryId;
  /** How much it matters, as it was said when it was stored. */
  importance: number;
  /** Its kind, a word of the profile. */
  kind: string;
  /** The layer that it belongs to. */
  layer: Layer;
  /** Its free fields. */
  metadata: { [name: string]: MetadataValue };
  /** The times that its text names. */
  named_times?: Interval[];
  /** The memories that it was derived from. */
  provenance: MemoryId[];
  /** The number of this text, counted from 1. */
  revision: number;
  /** Where it comes from. */
  source?: string | null;
  /** Whether it takes part in answers. */
  status: Status;
  /** When this text was stored. */
  stored_at: string;
  superseded_by?: MemoryId | null;
  supersedes?: MemoryId | null;
  /** Its tags. */
  tags: string[];
  /** What it says. */
  text: string;
  turn?: Turn | null;
  /** From when on it is true. */
  valid_from?: string | null;
  /** Until when it is true. */
  valid_until?: string | null;
  /** Whether a person confirmed it. */
  verified: boolean;
};

export type MemoryId = string;

/** A message of a conversation. */
export type Message = {
  /** What they say. */
  content: string;
  /** Who says it. */
  role: Role;
};

export type MetadataValue = null | boolean | number | string | MetadataValue[] | { [name: string]: MetadataValue };

/** Sizes and counts of a namespace. */
export type Namespace = {
  /** The same by status. */
  by_status: { [name: string]: number };
  /** When it was created. */
  created_at: string;
  /** When something of it was last stored, changed or deleted; absent where nothing ever was. */
  last_write?: string | null;
  /** Current memories of any status. */
  memories: number;
  /** Its name. */
  name: string;
  open?: OpenNamespace | null;
  /** Its profile. */
  profile: string;
  /** Pieces of background work that wait, run, or were given up. */
  queued: number;
  /** Earlier texts that are kept as history. */
  replaced: number;
  /** Bytes of text and replies, history included. */
  text_bytes: number;
};

/** What deleting a namespace removed, or would remove. */
export type NamespaceReceipt = {
  /** Whether nothing was changed. */
  dry_run: boolean;
  /** How many files mirrored it, with their backups. */
  files: number;
  /** How many files are kept beside those, with what somebody wrote into them. */
  kept: number;
  /** Keys removed from the file; 0 in a dry run. */
  keys: number;
  /** Its memories, of any status. */
  memories: number;
  /** The namespace. */
  namespace: string;
  /** Bytes of text and replies. */
  text_bytes: number;
};

/** The namespaces that the caller reaches. */
export type Namespaces = {
  /** By name. */
  namespaces: Namespace[];
};

/** A thing beside another one. */
export type Neighbour = {
  /** The thing. */
  entity: Entity;
  /** Whether the triple leads to it. */
  outgoing: boolean;
  /** What joins them. */
  triple: Triple;
};

/** The neighbours of a thing. */
export type Neighbours = {
  /** The nearest. */
  neighbours: Neighbour[];
};

/** A part of the graph. */
export type Net = {
  /** What is between them. */
  edges: Edge[];
  /** Entities and memories. */
  nodes: Node[];
};

/** How much a memory matters. */
export type NewImportance = {
  /** Before. */
  before: number;
  /** From now on. */
  importance: number;
};

/** A memory to be stored. */
export type NewMemory = {
  /** How sure it is, 0 to 1. */
  confidence?: number | null;
  /** When it happened. */
  event_time?: string | null;
  /** When it goes by itself. */
  expires_at?: string | null;
  /** How much it matters; as the profile says without it. */
  importance?: number | null;
  /** Its kind; by its layer without one. */
  kind?: string | null;
  layer?: Layer | null;
  /** Its free fields. */
  metadata?: { [name: string]: MetadataValue };
  /** The memories that it was derived from. */
  provenance?: MemoryId[];
  /** Where it comes from. */
  source?: string | null;
  /** Its tags. */
  tags?: string[];
  /** What it says. */
  text: string;
  /** From when on it is true. */
  valid_from?: string | null;
  /** Until when it is true. */
  valid_until?: string | null;
  /** Whether a person confirmed it. */
  verified?: boolean | null;
};

/** A namespace to be made. */
export type NewNamespace = {
  /** Its profile; `default` without one. */
  profile?: string | null;
};

/** A token to be made. */
export type NewToken = {
  /** When it ends; with the token that makes it at the latest. */
  expires_at?: string | null;
  /** What it is for. */
  name: string;
  /** The namespaces: names, and with `*` at the end beginnings of names. */
  namespaces: string[];
  /** What it allows. */
  rights: Right[];
};

/** A turn of a conversation to be stored. */
export type NewTurn = {
  /** What the assistant answered. */
  reply?: string | null;
  role?: Role | null;
  /** The conversation. */
  session: string;
  /** Who said it. */
  speaker?: string | null;
  /** Tags. */
  tags?: string[];
  /** What was said. */
  text: string;
  /** When it was said. */
  time?: string | null;
};

/** Turns to be stored, in one transaction. */
export type NewTurns = {
  /** In the order in which they were said. */
  turns: NewTurn[];
};

/** A memory of a user to be stored. */
export type NewUserMemory = {
  /** Its text. */
  content: string;
  /** How much it matters, 0 to 1. */
  importance?: number | null;
  /** Its free fields. */
  metadata?: { [name: string]: MetadataValue };
  /** The conversation that it comes from. */
  sourceConversationId?: number | null;
  /** The message that it comes from. */
  sourceMessageId?: number | null;
  /** Its kind: preference, fact, lesson, goal or context. */
  type?: string | null;
};

/** An entity or a memory. */
export type Node = {
  /** The id of the memory, or the number of the entity as text. */
  id: string;
  /** The kind. */
  kind?: string | null;
  /** Whether it is a memory. */
  memory: boolean;
  /** The name, or the beginning of the text. */
  name: string;
};

/** How many. */
export type Number = {
  /** Their number. */
  count: number;
};

/** What is known of a namespace that is open. */
export type OpenNamespace = {
  /** The same by class of the profile. */
  by_class: { [name: string]: number };
  /** The same by kind; those that the profile lists are there even without any. */
  by_kind: { [name: string]: number };
  /** Current memories by layer. */
  by_layer: { [name: string]: number };
  /** The embedder of the vectors, where it is not at hand: recall goes by words then. */
  foreign_vectors?: string | null;
  /** Bytes of memory in use. */
  memory_bytes: number;
  /** Conversations. */
  sessions: number;
  /** Rows with a vector. */
  vectors: number;
};

/** A memory that waits for a verdict. */
export type PendingReview = {
  /** What a judge last failed with. */
  error?: string;
  /** What is to be decided. */
  kind: ReviewWord;
  /** The memory. */
  memory: Memory;
  /** What was last said about it, by a model or a person. */
  reason?: string | null;
  /** Its score now. */
  score: number;
};

/** A page of reviews, in the order of storing. */
export type PendingReviews = {
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** The entries of this page. */
  reviews: PendingReview[];
  /** How many there are on all pages. */
  total: number;
};

/**
 * Something that went wrong. `code` is for programs, `title`, `detail` and `action` are for
 * people, in the language of `Accept-Language`.
 */
export type Problem = {
  /** What to do about it. */
  action: string;
  /** The kind of problem. */
  code: string;
  /** What was wrong with this request. */
  detail?: string;
  /** The fields that are wrong. */
  errors?: FieldProblem[];
  /** The status of the answer. */
  status: number;
  /** The kind of problem in a few words. */
  title: string;
  /** The kind of problem as a URI: `urn:annals:problem:` and its code. */
  type: string;
};

/** A profile. */
export type ProfileEntry = {
  /** Whether it comes with annals; otherwise it is stored in the file. */
  builtin: boolean;
  /** Its name. */
  name: string;
};

/** A kind of memories. */
export type ProfileKind = {
  /** The class that its memories begin in. */
  class?: string | null;
  /** Its sign before the name. */
  icon?: string | null;
  /** The word in calls. */
  id: string;
  /** Its name, where the profile has a fixed one. */
  label?: string | null;
};

/** A profile, or a language. */
export type ProfileName = {
  /** Its name. */
  profile: string;
};

/** The profiles that a namespace can have. */
export type Profiles = {
  /** By name. */
  profiles: ProfileEntry[];
};

/** Something that a model proposes. */
export type Proposal = {
  about?: MemoryId | null;
  /** What it would do. */
  action: ProposalWord;
  /** When it was made. */
  found_at: string;
  /** Its id. */
  id: MemoryId;
  /** Its kind. */
  kind?: string | null;
  /** The turns that it was made of. */
  sources: MemoryId[];
  /** What the memory would say. */
  text: string;
};

/** What a proposal would do. */
export type ProposalWord = string;

/** A page of proposals, the oldest first. */
export type Proposals = {
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** The entries of this page. */
  proposals: Proposal[];
  /** How many there are on all pages. */
  total: number;
};

/** What a model or a person was asked. */
export type QuestionWord = string;

/** Background work of a namespace. */
export type Queue = {
  /** The oldest first. */
  tasks: Task[];
};

/** The state of a piece of work: `waiting`, `running` or `dead` (given up). */
export type QueueStateWord = string;

/** The contribution of a feature. */
export type ReasonPart = {
  /** Its part of the score. */
  contribution: number;
  /** The feature. */
  feature: Feature;
  /** Its value, 0 to 1; absent where it does not apply. */
  value?: number | null;
};

/** Where a score comes from. */
export type Reasons = {
  /** What it gained by being put before another memory of the same thing. */
  ahead_of?: number | null;
  /** How it became a candidate. */
  found_by: Channel[];
  /** Steps over the graph, where the graph has to do with it. */
  graph_distance?: number | null;
  /** The words of the question that the memory holds. */
  matched: string[];
  named_time?: Interval | null;
  /** Every feature. */
  parts: ReasonPart[];
  /** The score, 0 to 1: the sum of the contributions. */
  score: number;
};

export type RecallMode = "fast" | "deep" | "auto";

/** What a call changed, or would change. */
export type Receipt = {
  /**
   * How many of the memories were asked for; those behind them go because their last source
   * does.
   */
  asked: number;
  /** Whether nothing was changed. */
  dry_run: boolean;
  /** Entities of which nothing speaks any more. */
  entities: number;
  /** Links that go with one of their ends. */
  links: number;
  /** The memories concerned. */
  memories: ReceiptEntry[];
  /** Memories that are in force again. */
  revived: MemoryId[];
  /** Rows concerned: current texts and, for deletions, all earlier ones. */
  rows: number;
  /** Memories of which earlier texts go. */
  shortened: MemoryId[];
  /** Triples that only forgotten memories support now. */
  sleeping_triples: number;
  /** Memories that lose one of their sources and are derived again. */
  stale: MemoryId[];
  /** Bytes of text and replies that are gone. */
  text_bytes: number;
  /** Triples that nothing supports any more. */
  triples: number;
  /** Memories with the same words that stay. */
  twins: MemoryId[];
};

/** A memory of a receipt. */
export type ReceiptEntry = {
  /** The memory. */
  id: MemoryId;
  /** The number of its texts, earlier ones included. */
  revisions: number;
  /** The status it had. */
  status: Status;
  /** When it was stored. */
  stored_at: string;
  /** The beginning of its text, in a dry run of a caller who may read. */
  text_start?: string;
};

/** A memory that waits for a verdict. */
export type Review = {
  /** How often a model was asked. */
  attempts: number;
  /** The memory. */
  id: MemoryId;
  /** Why it is looked at. */
  kind: ReviewWord;
  /** What it is worth. */
  score: number;
  /** Its status. */
  status: Status;
  /** What it says. */
  text: string;
};

/** Why a memory is looked at. */
export type ReviewReason = "decay" | "promote";

/** Why a memory is looked at: `decay` or `promote`. */
export type ReviewWord = string;

/** What waits for a person. */
export type Reviews = {
  /** Memories that wait for a verdict. */
  pending: Review[];
  /** What models propose. */
  proposals: Proposal[];
  /** What may contradict each other. */
  suspicions: Suspicion[];
};

/** A text that a memory had. */
export type Revision = {
  /** The memory with that text. */
  memory: Memory;
  /** When another text took its place. */
  replaced_at?: string | null;
};

/** Every text that a memory had. */
export type Revisions = {
  /** The oldest first. */
  revisions: Revision[];
};

/** A kind of call. */
export type Right = "read" | "write" | "delete" | "admin";

export type Role = "user" | "assistant" | "system" | "tool";

/** A question. */
export type Search = {
  /** Answer from what was stored at this moment. */
  as_of?: string | null;
  /** The moment of the question, from which "yesterday" counts; now without it. */
  asked_at?: string | null;
  /** Recent messages before it, oldest first. */
  context?: string[];
  /** How much likeness to better hits counts against a hit, 0 to 1. */
  diversity?: number | null;
  /** Steps over the graph; 0 for none. */
  expand_depth?: number | null;
  /** Which memories may answer. */
  filter?: Filter;
  /**
   * Whether the hits are put into a prompt: nothing then where probably nothing answers, else
   * only the nearest.
   */
  for_prompt?: boolean;
  /** The least score of a hit, 0 to 1. */
  min_score?: number | null;
  mode?: RecallMode | null;
  /** The question, or the message that is to be answered. */
  query: string;
  /** Relations of links that are followed, and nothing else. */
  relations?: string[] | null;
  /** The most hits; as the profile says without it. */
  top_k?: number | null;
  /**
   * Weights to try in place of the profile's, 0 to 1; a feature that is not named has 0. Those
   * of relevance are scaled to sum to 1.
   */
  weights?: { [name: string]: number } | null;
  why_not?: MemoryId | null;
};

/** The answer to a question. */
export type SearchAnswer = {
  /** Whether anything answers the question at all. */
  answered: Answered;
  /** Whether the hits are in the order of time. */
  by_time: boolean;
  /** How many memories were looked at closely. */
  candidates: number;
  /** Best first, or the latest first where `by_time` says so. */
  hits: Hit[];
  why_not?: WhyNot | null;
  /** Why the question was answered by words only, when it was. */
  without_vectors?: string | null;
};

/** `search(query, n_results)`. */
export type SearchKnowledge = {
  /** The most results; 3 without it. */
  n_results?: number | null;
  /** The question. */
  query: string;
};

/** A conversation. */
export type Session = {
  /** When its first turn was said. */
  first?: string | null;
  /** When its last turn was said. */
  last?: string | null;
  /** Its name. */
  name: string;
  /** Its turns. */
  turns: number;
};

/** The conversations of a namespace. */
export type Sessions = {
  /** By name. */
  sessions: Session[];
};

/** Whether two memories contradict each other. */
export type SettleBody = {
  /** Whether they do. */
  contradicts: boolean;
  /** The newer one. */
  newer: MemoryId;
  /** The older one. */
  older: MemoryId;
};

/** What a memory is worth now under the profile of its namespace. */
export type Standing = {
  /** Its class. */
  class: string;
  /** When a rule may have something to do about it, at the earliest. */
  due_at?: string | null;
  /** When it expires. */
  expires_at?: string | null;
  /** The memory. */
  id: MemoryId;
  /** How much it matters. */
  importance: number;
  /** When it was last accessed. */
  last_access: string;
  /** How often it was returned, where the profile counts that. */
  returned: number;
  /** Its score now. */
  score: number;
  /** How often it was of use. */
  used: number;
};

/** What memories are worth now. */
export type Standings = {
  /** In the order asked, without those that have no life of their own. */
  standings: Standing[];
};

export type Status = "staged" | "active" | "archived" | "forgotten";

/** What a step of a job did. */
export type Step = {
  /** What it counted. */
  counts: { [name: string]: number };
  /** Why it failed. */
  error?: string | null;
  /** The step. */
  step: StepWord;
};

/** A step of a job. */
export type StepWord = string;

/** A triple with the memories that say it. */
export type SupportedTriple = {
  /** Who says so, in the order of storing. */
  evidence: Evidence[];
  /** The triple. */
  triple: Fact;
};

/** Two memories that may contradict each other. */
export type Suspicion = {
  /** When they were found. */
  at: string;
  /** The newer one. */
  newer: MemoryId;
  /** What it says. */
  newer_text: string;
  /** The older one. */
  older: MemoryId;
  /** What it says. */
  older_text: string;
  /** How much they are alike. */
  similarity: number;
};

/** A page of pairs, the most similar first. */
export type SuspicionPage = {
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** The entries of this page. */
  suspicions: Suspicion[];
  /** How many there are on all pages. */
  total: number;
};

/** A piece of background work. */
export type Task = {
  /** How often it was tried. */
  attempts: number;
  /** What it is. */
  kind: string;
  /** Why it failed last. */
  last_error: string;
  memory?: MemoryId | null;
  /** When it is tried next. */
  next?: string | null;
  /** Its number. */
  number: number;
  /** When it was queued. */
  queued_at: string;
  /** Its state. */
  state: QueueStateWord;
};

/** The number of a piece of work. */
export type TaskNumber = {
  /** By which the queue lists it. */
  number: number;
};

/** A token, without its secret. */
export type Token = {
  /** When it was made. */
  created_at: string;
  /** When it ends. */
  expires_at?: string | null;
  /** The name by which it is revoked. */
  id: string;
  /** What it is for. */
  name: string;
  /** The namespaces: names, and with `*` at the end beginnings of names. */
  namespaces: string[];
  /** What it allows. */
  rights: Right[];
};

/** Tokens. */
export type Tokens = {
  /** The oldest first. */
  tokens: Token[];
};

/** A call of a tool. */
export type ToolCall = {
  /** Its arguments as they were written. */
  arguments?: string;
  /** The tool. */
  name: string;
  /** What it answered. */
  result?: string | null;
};

/** What memories say of two things. */
export type Triple = {
  /** Its number. */
  id: number;
  /** Whether it says that it is not so. */
  negated: boolean;
  /** About what. */
  object: string;
  /** What. */
  predicate: string;
  /** Of what. */
  subject: string;
};

/** A page of triples. */
export type Triples = {
  /** Where the next page begins: the parameter `after`. */
  next?: string | null;
  /** How many there are on all pages, where nothing is asked for in particular. */
  total?: number | null;
  /** In the order of their finding. */
  triples: Fact[];
};

/** A turn of a conversation. */
export type Turn = {
  /** Attached files. */
  attachments?: Attachment[];
  /** The place in it, from 0 on. */
  position: number;
  /** What the assistant answered. */
  reply?: string | null;
  /** The part that they have in it. */
  role: Role;
  /** The conversation. */
  session: string;
  /** Who said it. */
  speaker?: string | null;
  /** Calls of tools. */
  tool_calls?: ToolCall[];
};

/** A change that was taken back. */
export type Undone = {
  /** When it was made. */
  at: string;
  /** The kind of the change. */
  change: Change;
  /** The memories that it changed. */
  memories: UndoneMemory[];
  /** Memories that are true again because one that ended them is gone. */
  opened: MemoryId[];
};

/** A memory of a change that was taken back. */
export type UndoneMemory = {
  /** Its id. */
  id: MemoryId;
  status?: Status | null;
  /** The text that it has again; for one that is gone, its last text. */
  text: string;
};

/** `update_importance(id, delta)`. */
export type UpdateImportance = {
  /** What its importance gains, or loses. */
  delta: number;
  /** The memory. */
  id: MemoryId;
};

/** `update_text(id, text)`. */
export type UpdateText = {
  /** The memory, whose id stays. */
  id: MemoryId;
  /** What it says from now on. */
  text: string;
};

/** What a use made of a memory. */
export type Used = {
  /** Its score now. */
  after: number;
  /** Its score before. */
  before: number;
  /** Whether it counted. */
  counted: CountedWord;
};

/** A memory that an answer may rest on. */
export type UsedMemory = {
  /** The memory. */
  id: MemoryId;
  /** Its text. */
  text: string;
};

/** A memory of a user that answers. */
export type UserHit = {
  /** The memory. */
  memory: UserMemory;
  /** How well it answers, 0 to 1. */
  score: number;
};

/** Memories of a user that answer. */
export type UserHits = {
  /** Best first. */
  results: UserHit[];
};

/** A page of memories of a user. */
export type UserMemories = {
  /** The newest first. */
  memories: UserMemory[];
  /** The page, counted from 1. */
  page: number;
  /** The memories of a page. */
  pageSize: number;
  /** How many there are on all pages. */
  total: number;
};

/** A memory of a user. */
export type UserMemory = {
  /** How often it was put before a model. */
  accessCount: number;
  /** How sure it is, 0 to 1. */
  confidence: number;
  /** Its text. */
  content: string;
  /** When its first text was stored. */
  createdAt: string;
  /** Its number, from 1 to 2^53 - 1. */
  id: number;
  /** How much it matters, 0 to 1. */
  importance: number;
  /** Whether it is hidden. */
  isForgotten: boolean;
  /** When it was last. */
  lastAccessedAt?: string | null;
  /** The conversation that it comes from. */
  sourceConversationId?: number | null;
  /** The message that it comes from. */
  sourceMessageId?: number | null;
  /** The numbers of the memories that it took the place of. */
  supersedes: number[];
  /** Its kind. */
  type: string;
  /** When its text or status was last changed. */
  updatedAt: string;
  /** The user: N of the namespace `user:N`. */
  userId?: number | null;
  /** From when on it is true. */
  validFrom: string;
  /** Until when. */
  validUntil?: string | null;
  /** Its id in the engine, which every route takes as well. */
  zepMemoryId: string;
};

/** A question of a user. */
export type UserSearch = {
  /** Also what is true no more. */
  includeExpired?: boolean;
  /** The question. */
  query: string;
  /** The least score, 0 to 1. */
  threshold?: number | null;
  /** The most hits. */
  topK?: number | null;
  /** The kinds. */
  types?: string[];
};

/** Counts of the memories of a user. */
export type UserStats = {
  /** The same by kind; those of the profile are there even without any. */
  byType: { [name: string]: number };
  /** All that are active. */
  total: number;
};

/** What uses made of memories. */
export type Uses = {
  /** In the order asked. */
  used: Used[];
};

/** A verdict. */
export type VerdictBody = {
  /** Why the memory is looked at. */
  kind: ReviewReason;
  /** What becomes of it. */
  verdict: VerdictWord;
};

/** A verdict on a memory. */
export type VerdictWord = "promote" | "keep" | "delete";

/** What the caller may do. */
export type WhoAmI = {
  /** The namespaces: names, and with `*` at the end beginnings of names. */
  namespaces: string[];
  /** The kinds of calls. */
  rights: Right[];
};

/** Why a memory is not among the hits. */
export type WhyNot = {
  condition?: Condition | null;
  /** The score of the last hit. */
  last_hit?: number | null;
  /** The least score. */
  min_score?: number | null;
  /** Its place among all candidates, or among the hits, counted from 1. */
  rank?: number | null;
  /** The reason. */
  reason: WhyNotReason;
  reasons?: Reasons | null;
};

/** A reason why a memory is not among the hits. */
export type WhyNotReason = "returned" | "missing" | "filtered" | "no_candidate" | "below_minimum" | "outranked" | "too_alike" | "other";

/** The routes: what each is asked with, and its answer. */
export interface Routes {
  /**
   * Follows what happens to the memories of the user: server-sent events whose data are the number
   * of the memory, its id in the engine, and the memory.
   */
  "GET /api/events": {
    headers?: {
      /** The event that was seen last */
      "Last-Event-ID"?: number | null;
    };
    answer: Response;
  };
  /** Hides all memories of the user, once `confirm` says so. */
  "DELETE /api/memories": {
    query?: {
      /** `true`. */
      confirm?: boolean;
    };
    answer: Hidden;
  };
  /** The memories of the user, page by page. */
  "GET /api/memories": {
    query?: {
      /** The page, counted from 1. */
      page?: number;
      /** The memories of a page; 20 without it. */
      pageSize?: number;
      /** The kind. */
      type?: string[];
      /** Whether hidden ones are meant; active ones without it. */
      state?: "active" | "forgotten" | "all";
      /** Happened at or after. */
      from?: string;
      /** Happened before. */
      to?: string;
    };
    headers?: {
      /** The user, for a token that reaches several */
      "X-User-Id"?: number | null;
    };
    answer: UserMemories;
  };
  /** Stores a memory by hand. */
  "POST /api/memories": {
    body: NewUserMemory;
    answer: UserMemory;
  };
  /**
   * Looks through a conversation for what is worth keeping. For the program that serves users: it
   * needs a token with the right `admin`.
   */
  "POST /api/memories/extract": {
    body: Conversation;
    answer: ExtractedIds;
  };
  /** The memories of the user that answer a question. */
  "POST /api/memories/search": {
    body: UserSearch;
    answer: UserHits;
  };
  /** How many active memories the user has, by kind. */
  "GET /api/memories/stats": {
    answer: UserStats;
  };
  /** Hides a memory of the user; one that is hidden stays so. */
  "DELETE /api/memories/{id}": {
    path: {
      /** The number of the memory, or its id in the engine */
      id: string;
    };
    answer: UserMemory;
  };
  /** Brings a hidden memory of the user back. */
  "POST /api/memories/{id}/restore": {
    path: {
      /** The number of the memory, or its id in the engine */
      id: string;
    };
    answer: UserMemory;
  };
  /**
   * Takes the last change of a memory back: one that was stored less than ten minutes ago is deleted
   * for good, and what it took the place of is true again.
   */
  "POST /api/memories/{id}/undo": {
    path: {
      /** The number of the memory, or its id in the engine */
      id: string;
    };
    answer: Undone;
  };
  /** Whether the server answers. It looks at no memory. */
  "GET /healthz": {
    answer: Health;
  };
  /**
   * Opens the session of a browser with a link that works once, and goes on to the page. A browser
   * whose link works no more goes on to the page without a session, with `?reason=used-link`.
   */
  "GET /login": {
    query: {
      /** The code of the link that the server printed. */
      code: string;
    };
    answer: undefined;
  };
  /** What the server did, in the text form of Prometheus. The token reaches all namespaces. */
  "GET /metrics": {
    answer: Response;
  };
  /** This description. */
  "GET /openapi.json": {
    answer: string;
  };
  /** Whether the memory can be read, so that the server can work. */
  "GET /readyz": {
    answer: Health;
  };
  /** What language models were asked and what it cost, by day, model and purpose. */
  "GET /v1/costs": {
    answer: Costs;
  };
  /** The jobs of the profiles: when they ran last, and when they run next. */
  "GET /v1/jobs": {
    answer: Jobs;
  };
  /** Runs the jobs that are due, and answers all of them. */
  "POST /v1/jobs/run": {
    answer: Jobs;
  };
  /** Ends the session of the browser. */
  "POST /v1/logout": {
    answer: undefined;
  };
  /** Runs the jobs that are due, or all. */
  "POST /v1/maintain": {
    body: MaintainBody;
    answer: Maintained;
  };
  /** The namespaces that the caller reaches, by name. */
  "GET /v1/namespaces": {
    answer: Namespaces;
  };
  /** Deletes a namespace with all its bytes, or tells what would go. */
  "DELETE /v1/namespaces/{ns}": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** Only tell what would go. */
      dry_run?: boolean;
    };
    answer: NamespaceReceipt;
  };
  /** Sizes and counts of a namespace. */
  "GET /v1/namespaces/{ns}": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Namespace;
  };
  /** Makes a namespace with a profile. One comes into being with its first memory, too. */
  "PUT /v1/namespaces/{ns}": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: NewNamespace;
    answer: Namespace;
  };
  /**
   * Hides, puts aside, brings back or deletes many memories in one transaction: all of them or none.
   * Deleting needs the right `delete` as well.
   */
  "POST /v1/namespaces/{ns}/bulk": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: BulkBody;
    answer: BulkDone;
  };
  /** Deletes all memories that pass a filter for good, in one transaction, or tells what would go. */
  "POST /v1/namespaces/{ns}/bulk/delete": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: BulkBody;
    answer: Receipt;
  };
  /**
   * Deletes all memories that pass a filter for good, in the background, 500 at a time; the queue
   * shows how far it is. `dry_run` has no meaning here.
   */
  "POST /v1/namespaces/{ns}/bulk/delete-later": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: BulkBody;
    answer: TaskNumber;
  };
  /**
   * Deletes the memories of a list of ids. What the profile protects, such as core memories, is
   * skipped and told.
   */
  "POST /v1/namespaces/{ns}/bulk/delete-listed": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: ListedBody;
    answer: ListedDone;
  };
  /** Hides all memories that pass a filter, or tells which they are. */
  "POST /v1/namespaces/{ns}/bulk/forget": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: BulkBody;
    answer: Receipt;
  };
  /**
   * Says something to the model. Both messages are kept and looked through, unless the conversation
   * is temporary.
   */
  "POST /v1/namespaces/{ns}/chat": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: ChatBody;
    answer: ChatReply;
  };
  /** What of the memory belongs in a prompt, in the parts and the form of the profile. */
  "POST /v1/namespaces/{ns}/context": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: ContextBody;
    answer: Context;
  };
  /** What judges and people decided, the newest first. */
  "GET /v1/namespaces/{ns}/decisions": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** About this memory. */
      memory?: string;
      /** The most; 50 without it. */
      limit?: number;
    };
    answer: Decisions;
  };
  /** Takes a decision back. A memory that an edit made goes for good then: it needs that right. */
  "POST /v1/namespaces/{ns}/decisions/{number}/undo": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The number of the decision */
      number: number;
    };
    answer: Decision;
  };
  /** Memories that matter much and are not sure, the most important first. */
  "GET /v1/namespaces/{ns}/doubtful": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The most entries of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: Memories;
  };
  /**
   * Follows what happens: server-sent events named `memory.created`, `memory.updated`,
   * `memory.deleted`, `memory.forgotten` (by a rule), `memory.archived` and `memory.restored`. With
   * `Last-Event-ID` those behind that one come first; `gap` says that some cannot be told any more.
   * A comment comes at least every 15 seconds.
   */
  "GET /v1/namespaces/{ns}/events": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    headers?: {
      /** The event that was seen last */
      "Last-Event-ID"?: number | null;
    };
    answer: Response;
  };
  /**
   * Everything of the namespace, a JSON object a line: history, graph and decisions included. A
   * stream that ends before its end was cut off by an error.
   */
  "GET /v1/namespaces/{ns}/export": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Response;
  };
  /** All memories for people to read, a line each: id, kind, score and text, with tabs between them. */
  "GET /v1/namespaces/{ns}/export/text": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Response;
  };
  /** Active memories about which a rule of the profile may have something to do, by when. */
  "GET /v1/namespaces/{ns}/fading": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The most entries of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: Fading;
  };
  /** Things that memories speak of: those of a name, or the first of all. */
  "GET /v1/namespaces/{ns}/graph/entities": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** Of this name, or with it as another name. */
      name?: string;
      /** The most; 50 without it. */
      limit?: number;
    };
    answer: Entities;
  };
  /** What is beside a thing, one step away. */
  "GET /v1/namespaces/{ns}/graph/entities/{number}/neighbours": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The number of the thing */
      number: number;
    };
    answer: Neighbours;
  };
  /** How many memories are of which time. */
  "GET /v1/namespaces/{ns}/growth": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** How many pieces of equal length; 30 without it. */
      steps?: number;
    };
    answer: Growth;
  };
  /**
   * Stores memories or turns, a JSON object a line, batch by batch. What an export wrote and is
   * there already is recognised, so that the same stream can be sent again. A line that cannot be
   * stored ends the import with its number, unless `skip_bad` leaves it out. Without the rights
   * `admin` and `delete` only memories, turns and the graph are taken: other lines of an export,
   * such as decisions and work that waits, may delete or govern; they are left out, and `withheld`
   * counts them.
   */
  "POST /v1/namespaces/{ns}/import": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** `export`: lines as an export writes them; `turns`: a turn of a conversation each. */
      format?: "export" | "turns";
      /** Leave lines out that cannot be stored, instead of stopping there. */
      skip_bad?: boolean;
    };
    body: Blob;
    answer: Imported;
  };
  /**
   * Imports files or archives of any format that `annals import` knows, or tells what they would
   * bring: one as the body, or several as the parts of a form. Of an export of annals without the
   * rights `admin` and `delete` only memories and the graph are taken, as by `.../import`.
   */
  "POST /v1/namespaces/{ns}/import/file": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The name of the file: what a conversation is called that has no name of its own. */
      name?: string;
      /** Store nothing, only tell what would be stored. */
      dry_run?: boolean;
    };
    body: Blob | FormData;
    answer: ImportedFile;
  };
  /** The last imports of files that can be taken back, one that is under way among them. */
  "GET /v1/namespaces/{ns}/imports": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: ImportRuns;
  };
  /** Takes an import back: what it brought is deleted for good. The same file brings it again. */
  "DELETE /v1/namespaces/{ns}/imports/{began}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The moment at which it began */
      began: string;
    };
    answer: ImportUndone;
  };
  /** What was put into the last prompts, and why: by hooks, `context`, the chat and MCP. */
  "GET /v1/namespaces/{ns}/injections": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** Only prompts in which this memory stood. */
      memory?: MemoryId;
      /** Only prompts of this agent. */
      agent?: string;
      /** The most prompts of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: Injections;
  };
  /** The kinds of memories of a namespace, with their signs. */
  "GET /v1/namespaces/{ns}/kinds": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Kinds;
  };
  /** Stores what is known, and answers its id. */
  "POST /v1/namespaces/{ns}/knowledge/add": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: AddKnowledge;
    answer: KnowledgeId;
  };
  /** Deletes what is known for good. */
  "POST /v1/namespaces/{ns}/knowledge/delete": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: DeleteKnowledge;
    answer: Receipt;
  };
  /** Everything that is known, the newest first. */
  "POST /v1/namespaces/{ns}/knowledge/get_all": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: KnowledgeRecords;
  };
  /** What answers a question best. */
  "POST /v1/namespaces/{ns}/knowledge/search": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: SearchKnowledge;
    answer: KnowledgeRecords;
  };
  /** Changes how much a memory matters. */
  "POST /v1/namespaces/{ns}/knowledge/update_importance": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: UpdateImportance;
    answer: NewImportance;
  };
  /** Gives a memory another text; its id stays. */
  "POST /v1/namespaces/{ns}/knowledge/update_text": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: UpdateText;
    answer: KnowledgeId;
  };
  /** The language of prompts, headings and labels. */
  "GET /v1/namespaces/{ns}/language": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: LanguageName;
  };
  /** Gives the namespace a language of its own, or with `null` that of its profile again. */
  "PUT /v1/namespaces/{ns}/language": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: LanguageName;
    answer: LanguageName;
  };
  /** Memories in the order of their storing, page by page, with the count of all pages. */
  "GET /v1/namespaces/{ns}/memories": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The layer. */
      layer?: Layer[];
      /** The kind. */
      kind?: string[];
      /** The status; active without any. */
      status?: Status[];
      /** The conversation. */
      session?: string[];
      /** The speaker. */
      speaker?: string[];
      /** The tag. */
      tag?: string[];
      /** Happened at or after. */
      since?: string;
      /** Happened before. */
      until?: string;
      /** True at this moment. */
      valid_at?: string;
      /** The class of the profile. */
      class?: string[];
      /** Only memories that lost one of their sources and were not derived again. */
      stale?: boolean;
      /** Also what has expired, and what another memory took the place of. */
      past?: boolean;
      /** The most memories of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
      /** `newest` first, or `oldest`. */
      order?: "newest" | "oldest";
    };
    answer: Memories;
  };
  /**
   * Stores a memory. When this answers it is on disk. One that says the same as a known one is not
   * stored again: the answer is the known one then, with status 200.
   */
  "POST /v1/namespaces/{ns}/memories": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    headers?: {
      /** The same for a request that is sent again */
      "Idempotency-Key"?: string | null;
    };
    body: NewMemory;
    answer: Added;
  };
  /**
   * The memories that answer a question best, each with the reasons of its score; whether anything
   * answers at all; and why a memory is not among the hits.
   */
  "POST /v1/namespaces/{ns}/memories/search": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: Search;
    answer: SearchAnswer;
  };
  /** Reports that memories were of use, for instance in an answer: that is what keeps them. */
  "POST /v1/namespaces/{ns}/memories/used": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: Ids;
    answer: Uses;
  };
  /**
   * Deletes a memory for good, with its history and what was derived from it alone, or tells what
   * would go.
   */
  "DELETE /v1/namespaces/{ns}/memories/{id}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    query?: {
      /** Only tell what would go. */
      dry_run?: boolean;
    };
    headers?: {
      /** The same for a request that is sent again */
      "Idempotency-Key"?: string | null;
    };
    answer: Receipt;
  };
  /** One memory. The answer has an `ETag` for an edit. */
  "GET /v1/namespaces/{ns}/memories/{id}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Memory;
  };
  /**
   * Changes a memory; the text before stays in its history. With `If-Match` only as long as nobody
   * else changed it.
   */
  "PATCH /v1/namespaces/{ns}/memories/{id}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    headers?: {
      /** The ETag of the memory as it was read */
      "If-Match"?: string | null;
      /** The same for a request that is sent again */
      "Idempotency-Key"?: string | null;
    };
    body: EditMemory;
    answer: Memory;
  };
  /** Puts a memory aside: it is found only when archived memories are asked for. */
  "POST /v1/namespaces/{ns}/memories/{id}/archive": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Memory;
  };
  /** What a memory was derived from, and what was derived from it. */
  "GET /v1/namespaces/{ns}/memories/{id}/derivations": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Derivations;
  };
  /** Hides a memory until it is restored. */
  "POST /v1/namespaces/{ns}/memories/{id}/forget": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Memory;
  };
  /** Every text that a memory had, the oldest first. */
  "GET /v1/namespaces/{ns}/memories/{id}/history": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Revisions;
  };
  /** The links from and to a memory. */
  "GET /v1/namespaces/{ns}/memories/{id}/links": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Links;
  };
  /** Brings a forgotten or archived memory back. */
  "POST /v1/namespaces/{ns}/memories/{id}/restore": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Memory;
  };
  /** Takes back the last change that a caller made of a memory. */
  "POST /v1/namespaces/{ns}/memories/{id}/undo": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    answer: Undone;
  };
  /** What is one step away from an entity or a memory. */
  "GET /v1/namespaces/{ns}/neighbours": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** Of the entities of this name. */
      of?: string;
      /** Of this memory. */
      memory?: MemoryId;
      /** The most neighbours; 50 without it. */
      limit?: number;
    };
    answer: Net;
  };
  /** The name of the profile. */
  "GET /v1/namespaces/{ns}/profile": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: ProfileName;
  };
  /**
   * Gives the namespace another profile; its memories go on under it with the score that they have
   * now.
   */
  "PUT /v1/namespaces/{ns}/profile": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: ProfileName;
    answer: ProfileName;
  };
  /** What was found in conversations and waits for a person. */
  "GET /v1/namespaces/{ns}/proposals": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The most entries of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: Proposals;
  };
  /**
   * Carries out a proposal, and answers the memory that it made, if any. A proposal may delete: it
   * needs that right.
   */
  "POST /v1/namespaces/{ns}/proposals/{id}/accept": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the proposal */
      id: string;
    };
    answer: Ids;
  };
  /** Turns a proposal down. */
  "POST /v1/namespaces/{ns}/proposals/{id}/reject": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the proposal */
      id: string;
    };
    answer: undefined;
  };
  /** Background work that waits, runs, or was given up. */
  "GET /v1/namespaces/{ns}/queue": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Queue;
  };
  /** Lets all work be tried now that failed. */
  "POST /v1/namespaces/{ns}/queue/retry": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Number;
  };
  /** Takes a piece of work out of the queue. */
  "DELETE /v1/namespaces/{ns}/queue/{number}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The number of the work */
      number: number;
    };
    answer: undefined;
  };
  /** Lets a piece of work be tried now, as if it had never failed. */
  "POST /v1/namespaces/{ns}/queue/{number}/retry": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The number of the work */
      number: number;
    };
    answer: undefined;
  };
  /**
   * What waits for a person: memories that may go, proposals of models, and what may contradict each
   * other.
   */
  "GET /v1/namespaces/{ns}/reviews": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Reviews;
  };
  /** Memories that wait for a verdict. */
  "GET /v1/namespaces/{ns}/reviews/pending": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The most entries of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: PendingReviews;
  };
  /** Decides about a memory that waits for a verdict. One that deletes needs the right to delete. */
  "POST /v1/namespaces/{ns}/reviews/{id}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The id of the memory */
      id: string;
    };
    body: VerdictBody;
    answer: undefined;
  };
  /** The conversations. */
  "GET /v1/namespaces/{ns}/sessions": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    answer: Sessions;
  };
  /** Queues the turns of a conversation that were not looked through yet. */
  "POST /v1/namespaces/{ns}/sessions/{session}/extract": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The name of the conversation */
      session: string;
    };
    answer: Begun;
  };
  /** The turns of a conversation, in their order. */
  "GET /v1/namespaces/{ns}/sessions/{session}/turns": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The name of the conversation */
      session: string;
    };
    query?: {
      /** The place of the first turn, from 0 on. */
      from?: number;
      /** The most turns; 50 without it. */
      limit?: number;
    };
    answer: Memories;
  };
  /** What memories are worth now: score, class, use. */
  "GET /v1/namespaces/{ns}/standings": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The memories. */
      id?: MemoryId[];
    };
    answer: Standings;
  };
  /** Pairs of memories that may contradict each other, about which nobody has decided. */
  "GET /v1/namespaces/{ns}/suspicions": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** The most entries of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: SuspicionPage;
  };
  /** Says whether two memories contradict each other. */
  "POST /v1/namespaces/{ns}/suspicions/settle": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: SettleBody;
    answer: undefined;
  };
  /** Entities: all, page by page, or those of a name. */
  "GET /v1/namespaces/{ns}/things": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** Those of this name or alias. */
      name?: string;
      /** The most entities of a page; 50 without it. */
      limit?: number;
      /** Go on behind this number: the `next` of a page. */
      after?: number;
    };
    answer: EntityPage;
  };
  /** What is held true, page by page. */
  "GET /v1/namespaces/{ns}/triples": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query?: {
      /** What they speak of: a name. */
      subject?: string;
      /** What they say. */
      predicate?: string;
      /** What they lead to: a name. */
      object?: string;
      /** Those that hold at this moment. */
      valid_at?: string;
      /** Those that were known at this moment. */
      as_of?: string;
      /** The most triples of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: Triples;
  };
  /** What is held true now and was not at a moment, and what ceased to be. */
  "GET /v1/namespaces/{ns}/triples/changes": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    query: {
      /** What was known at this moment is compared with what is known now. */
      since: string;
      /** The most changes of a page; 50 without it. */
      limit?: number;
      /** Go on where a page ended: its `next`. */
      after?: string;
    };
    answer: FactChanges;
  };
  /** A triple with the words that say it. */
  "GET /v1/namespaces/{ns}/triples/{number}": {
    path: {
      /** The name of the namespace */
      ns: string;
      /** The number of the triple */
      number: number;
    };
    answer: SupportedTriple;
  };
  /** Appends turns to their conversations, in one transaction. */
  "POST /v1/namespaces/{ns}/turns": {
    path: {
      /** The name of the namespace */
      ns: string;
    };
    body: NewTurns;
    answer: Ids;
  };
  /** The profiles that come with annals, and those of the file. */
  "GET /v1/profiles": {
    answer: Profiles;
  };
  /** Sizes and counts of the whole file. The token reaches all namespaces. */
  "GET /v1/stats": {
    answer: FileStats;
  };
  /** The tokens of the database, without their secrets. The caller reaches all namespaces. */
  "GET /v1/tokens": {
    answer: Tokens;
  };
  /** Makes a token with rights that the caller has. It ends no later than the token that makes it. */
  "POST /v1/tokens": {
    body: NewToken;
    answer: MadeToken;
  };
  /** Revokes a token. */
  "DELETE /v1/tokens/{token}": {
    path: {
      /** The id of the token */
      token: string;
    };
    answer: undefined;
  };
  /** What the token or the session lets its holder do. */
  "GET /v1/whoami": {
    answer: WhoAmI;
  };
}
