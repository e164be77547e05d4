/** Words from the documentation. */
const words =
  'copy rolling began gives compiled polling you ordered pass subscribe meanwhile every case pipeline api milliseco often settling zod absent try opened happened uwsjs filled section check join append among answer string recording active measures took extension npx vents apn rchitectu fast once polls replies first lifted find this failover outside ibling ames nodes resence still changed ehind sort validatio ime concerns whether last unless presence prom than embers inserted hose sdk pref productio misses second area pdate forward while names nine tatistics downloade lru remember uid these webhook mark cache ones tasks proto closed died qual majority place waits apns parse atching interface umber side sees running missing story doing documenta print field after equal recognise releases finishes nanoid'.split(
    ' ',
  )

/** The n-th text of at least this length, with little repetition, so that it does not compress unrealistically well. */
export function textOf(n: number, length: number): string {
  let [text, state] = ['', (n + 1) * 2_654_435_761]
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    text += `${words[state % words.length]} `
  }
  return text
}
