/**
 * The header `Switchboard-Note`: a sentence on what an answer means where its body has no room for it, for whoever reads the answer.
 * Names in it are toolkits', tools' and ids of ours; what else a header cannot hold becomes `?`.
 */
export function noteHeader(note: string): Readonly<Record<string, string>> {
  return { [NOTE]: note.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NOTE) }
}

export const NOTE = 'switchboard-note'
const MAX_NOTE = 1_000
