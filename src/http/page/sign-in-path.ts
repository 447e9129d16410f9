/**
 * Where a browser signs in that is to come back to a path of ours. What may stand in a query as it is (RFC 3986, section 3.4) is
 * left so: what comes back is often itself a long query, and addresses of more than 16 kB are refused at Cloudflare's edge.
 */
export function signInPath(back: string | undefined, isAgain = false): string {
  const query = [
    ...(isAgain ? ['again=1'] : []),
    ...(back === undefined
      ? []
      : [`return=${encodeURIComponent(back).replaceAll(/%(?:2F|3F|3A|40|3D|2C|3B|24)/g, decodeURIComponent)}`]),
  ]
  return query.length === 0 ? '/sign-in' : `/sign-in?${query.join('&')}`
}
