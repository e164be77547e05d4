"""A terminal chat on Parley with python-socketio: every line that you write goes into the room."""

import json
import os
import sys
import threading

import requests
import socketio

url = os.environ.get("PARLEY_URL", "http://127.0.0.1:8080")
user = os.environ.get("CHAT_USER", "bob")
room = os.environ.get("ROOM", "demo-room")


def demo_token() -> str:
    """Your server does this for its logged-in user: an API key never goes into an app."""
    response = requests.post(
        f"{url}/admin/clients",
        headers={"IM-API-KEY": os.environ.get("PARLEY_API_KEY", "demo-api-key")},
        json={"_id": user, "issueAccessToken": True},
        timeout=30,
    )
    response.raise_for_status()
    return response.json()["result"]["token"]


token = os.environ.get("CHAT_TOKEN") or demo_token()
client = socketio.Client()
ready = threading.Event()
seen = set()  # after a reconnect an event may come again


@client.event
def connect():
    # Again after each reconnect: the login belongs to the connection.
    client.emit("auth2", (token, {"deviceId": f"terminal of {user}"}), callback=logged_in)


def logged_in(ack):
    if ack["RC"] != 0:
        print(f"auth2: {ack['error']['code']}: {ack['error']['message']}", file=sys.stderr)
        os._exit(1)
    print(f"You are {ack['result']['_id']} in {room}. Write a line, Ctrl-C ends.", flush=True)
    ready.set()


@client.on("chat message")
def on_message(message):
    if message["room"] != room or message["_id"] in seen:
        return
    seen.add(message["_id"])
    content = message["message"]
    text = content if isinstance(content, str) else json.dumps(content)
    print(f"{message['sender'].get('nickname') or message['sender']['_id']}: {text}", flush=True)


client.connect(url, transports=["websocket"], wait_timeout=30)
ready.wait(30)
for line in sys.stdin:
    ack = client.call("chat message", {"room": room, "message": line.rstrip("\n"), "messageType": "text"})
    if ack["RC"] != 0:
        print(f"{ack['error']['code']}: {ack['error']['message']}", file=sys.stderr)
client.disconnect()
