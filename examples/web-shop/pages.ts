const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const text = (value: string) => value.replaceAll(/[&<>"']/g, (character) => escaped[character] ?? '')

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  form { display: inline }
  #chat { height: 32rem; border: 1px solid #ccc; border-radius: 12px; overflow: hidden }
</style>
<h1>${text(title)}</h1>
${body}
</html>`

export const signInPage = (error = '') =>
  page(
    'The shop',
    `<p role="alert">${text(error)}</p>
<form method="post" action="/sign-in">
  <label>Name <input name="user" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>`,
  )

export const shopPage = (name: string, products: string[], orders: { id: string; product: string }[]) =>
  page(
    `Hello ${name}`,
    `<ul>${products
      .map(
        (product) => `
  <li>${text(product)} <form method="post" action="/orders"><button name="product" value="${text(product)}">Order</button></form>`,
      )
      .join('')}
</ul>
<h2>Orders</h2>
<ul>${orders.map(({ id, product }) => `\n  <li><a href="/orders/${id}">${text(product)}</a>`).join('')}
</ul>`,
  )

interface Order {
  id: string
  product: string
  room: string
}

export const orderPage = ({ id, product, room }: Order, parleyURL: string) =>
  page(
    `Order ${id}: ${product}`,
    `<p><a href="/">Back to the shop</a></p>
<div id="chat"></div>
<script src="${text(parleyURL)}/chat/embed.js"></script>
<script>
  parleyChat.open({
    element: document.getElementById('chat'),
    title: 'Chat about the order',
    room: ${JSON.stringify(room).replaceAll('<', '\\u003c')},
    rooms: 'hide',
    token: async ({ last = '' }) => {
      const response = await fetch('/chat-token', { method: 'POST', body: new URLSearchParams({ refused: last }) })
      if (!response.ok) throw new Error('no token: ' + response.status)
      return response.text()
    },
  })
</script>`,
  )
