import { Copyable } from '../parts.tsx'
import type { Snippet } from './snippets.ts'

/** Texts to copy, each closed but the first. */
export function SnippetList({ snippets, isOpen = false }: { snippets: readonly Snippet[]; isOpen?: boolean }) {
  return (
    <>
      {snippets.map(({ title, text, note }, index) => (
        <details open={isOpen && index === 0}>
          <summary>{title}</summary>
          {note === undefined ? undefined : <p class="note">{note}</p>}
          {text === '' ? undefined : <Copyable text={text} />}
        </details>
      ))}
    </>
  )
}
