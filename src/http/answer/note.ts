/** `Switchboard-Note`: what an answer means where its body has no room for it. Characters that no header holds become `?`. */
export function noteHeader(note: string): Readonly<Record<string, string>> {
  return { [NOTE]: note.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NOTE) }
}

export const NOTE = 'switchboard-note'
const MAX_NOTE = 1_000
