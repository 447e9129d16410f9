/** Beside a name that says the same: without a width and with an empty `alt`, browsers show nothing of one that cannot be had. */
export function ToolIcon({ path }: { readonly path: string | undefined }) {
  return path === undefined ? <></> : <img class="icon" src={path} alt="" loading="lazy" decoding="async" />
}
