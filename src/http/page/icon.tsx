/** Decorates a name. Without a width and with an empty `alt`, browsers show nothing if the image cannot be loaded. */
export function ToolIcon({ path }: { readonly path: string | undefined }) {
  return path === undefined ? <></> : <img class="icon" src={path} alt="" loading="lazy" decoding="async" />
}
