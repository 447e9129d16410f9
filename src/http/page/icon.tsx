/** Beside a name that says the same: with an empty `alt`, browsers show nothing where there is no picture. */
export function ToolIcon({ path }: { readonly path: string | undefined }) {
  return path === undefined ? <></> : <img class="icon" src={path} alt="" loading="lazy" decoding="async" />
}
