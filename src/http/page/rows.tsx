import type { JSX } from 'hono/jsx/jsx-runtime'

/** A term and its description in a `<dl>`; nothing where there is none. */
export function Row({ term, words }: { readonly term: string; readonly words: JSX.Element | string | undefined }) {
  if (words === undefined) return <></>
  return (
    <>
      <dt>{term}</dt>
      <dd>{words}</dd>
    </>
  )
}
