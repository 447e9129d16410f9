import type { Child } from 'hono/jsx'
import { sentence } from './text.ts'

export function Row({ term, words }: { readonly term: string; readonly words: Child }) {
  if (words === undefined) return <></>
  return (
    <>
      <dt>{term}</dt>
      <dd>{words}</dd>
    </>
  )
}

export function Copyable({ text }: { text: string }) {
  return (
    <div class="copyable">
      <pre>{text}</pre>
    </div>
  )
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="care" role="alert">
      {sentence(text)}
    </p>
  )
}
