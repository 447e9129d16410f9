/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `seq` numbers the events of a source, and a cursor is the `seq` of
 * the last event that was delivered or skipped. `next` is when a subscription is due. Secrets are encrypted; `old_secret`, the
 * one before, also signs.
 */
export const TABLES = `
CREATE TABLE event (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE subscription (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, subscriber TEXT NOT NULL, arguments TEXT NOT NULL, url TEXT NOT NULL,
  secret TEXT NOT NULL, old_secret TEXT, created INTEGER NOT NULL, expires INTEGER, cursor INTEGER NOT NULL,
  attempts INTEGER NOT NULL, next INTEGER NOT NULL, failure TEXT
);
CREATE INDEX subscription_next ON subscription (next);
CREATE TABLE dead_letter (
  subscription TEXT NOT NULL REFERENCES subscription ON DELETE CASCADE, id TEXT NOT NULL, at INTEGER NOT NULL,
  failure TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (subscription, id)
);
`

export type SubscriptionRow = {
  readonly id: string
  readonly principal: string
  readonly subscriber: string
  readonly arguments: string
  readonly url: string
  readonly secret: string
  readonly old_secret: string | null
  readonly created: number
  readonly expires: number | null
  readonly cursor: number
  readonly attempts: number
  readonly next: number
  readonly failure: string | null
}
