import type { Child } from 'hono/jsx'
import { toSentence } from './text.ts'

export function Row({ term, content }: { readonly term: string; readonly content: Child }) {
  if (content === undefined) return <></>
  return (
    <>
      <dt>{term}</dt>
      <dd>{content}</dd>
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

export function ProblemNotice({ text }: { readonly text: string }) {
  return (
    <p class="care" role="alert">
      {toSentence(text)}
    </p>
  )
}
