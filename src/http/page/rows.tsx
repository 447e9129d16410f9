import type { JSX } from 'hono/jsx/jsx-runtime'

export function Row({ term, words }: { readonly term: string; readonly words: JSX.Element | string | undefined }) {
  if (words === undefined) return <></>
  return (
    <>
      <dt>{term}</dt>
      <dd>{words}</dd>
    </>
  )
}
