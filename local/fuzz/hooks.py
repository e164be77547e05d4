"""Schemathesis hooks (SCHEMATHESIS_HOOKS) for rules that the OpenAPI document cannot express.

Each operation gets the keys of one of its security alternatives. Half of the generated IDs are replaced by existing ones,
except those that a link took from a response. Dependent fields, such as the window of a report or a filter in JSON, are
made consistent. FUZZ_SETUP holds the objects that fuzz-api.ts prepared.
"""

import json
import os
import random
import time
import urllib.parse
import urllib.request

import schemathesis

setup = json.loads(os.environ["FUZZ_SETUP"])
chance = random.Random(setup["seed"])
me = setup["user"]

KEYS = {
    "apiKey": ("IM-API-KEY", setup["apiKey"]),
    "clientKey": ("IM-CLIENT-KEY", setup["clientKey"]),
    "userToken": ("IM-Authorization", setup["token"]),
}
KEY_HEADERS = {header.lower() for header, _ in KEYS.values()}
# IDs that links took from responses.
answered = set()
# Rooms and members of the bans made so far.
banned_in_rooms = []
FOR_THE_INVITED = {"declineInvitation", "joinRoom"}
# Callers with a user token are the sender; those with the API key name one.
WITH_A_SENDER = {"writeMessage", "scheduleMessage", "listScheduled"}
# Called on the fuzzer's user, these would end its own token.
ENDS_TOKENS = {"saveUser", "bindToken", "revokeTokens", "eraseUser", "endToken"}


@schemathesis.hook
def before_call(context, case, kwargs):
    raw = case.operation.definition.raw
    name = raw["operationId"]
    others = {key: value for key, value in (case.headers or {}).items() if key.lower() not in KEY_HEADERS}
    case.headers = {**others, **keys_for(raw, name)}
    if case.meta is not None and case.meta.generation.mode.is_positive:
        if "IM-CLIENT-ID" in case.headers:
            case.headers["IM-CLIENT-ID"] = me
        use_existing_ids(case, raw, name)
        make_consistent(case, name)
    if name == "getFile" and isinstance(case.query, dict):
        # The fuzzer would follow the redirect to the file.
        case.query.pop("redirect", None)
    if name in {"banUser", "unbanUser", "eraseUser"} and isinstance(case.path_parameters, dict):
        # Use a new user, so that other calls keep theirs.
        somebody = f"somebody {chance.getrandbits(64)}"
        case.path_parameters["client_id"] = somebody
        call("/admin/clients", {"_id": somebody, "issueAccessToken": True})
        if name == "unbanUser":
            call(f"/admin/clients/{urllib.parse.quote(somebody)}/ban", {})
    if name in ENDS_TOKENS:
        spare_the_fuzzer(case.path_parameters, "client_id")
        spare_the_fuzzer(case.body, "_id")


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 200 and "json" in response.headers.get("content-type", [""])[0]:
        remember(response.json().get("result"))


@schemathesis.check
def numbers_come_back(context, response, case):
    """Numbers in free JSON must be returned digit for digit."""
    if case.operation.definition.raw["operationId"] != "setMyPref" or response.status_code != 200:
        return
    sent, kept = (as_written(text) for text in (response.request.body, response.content))
    assert kept["result"]["data"] == sent["data"], f"{sent['data']} came back as {kept['result']['data']}"


def as_written(text):
    return json.loads(text, parse_int=lambda digits: (digits,), parse_float=lambda digits: (digits,))


def remember(value):
    if isinstance(value, dict):
        answered.update(value[key] for key in ("_id", "id", "key") if isinstance(value.get(key), str))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(inner, (dict, list)):
            remember(inner)


def spare_the_fuzzer(values, field):
    if isinstance(values, dict) and values.get(field) == me:
        values[field] = "somebody"


def keys_for(raw, name):
    schemes = chance.choice(raw["security"])
    headers = dict(KEYS[scheme] for scheme in schemes)
    if name in {"renewToken", "endMyToken"}:
        headers["IM-Authorization"] = fresh_token()
    return headers


def fresh_token():
    """Target the token of another user, since the call ends it."""
    return call("/admin/clients", {"_id": "renewer", "issueAccessToken": True})["token"]


def new_stream():
    """Open a new streamed message, since other calls may have deleted the room or robot of the previous one."""
    return call("/messages/stream", {"room": room_of_a_streamer(), "sender": "streamer"})["_id"]


def room_of_a_streamer():
    call("/admin/clients", {"_id": "streamer", "isRobot": True, "issueAccessToken": True})
    room = f"streams {chance.getrandbits(64)}"
    call("/rooms/", {"_id": room, "roomType": "group", "members": ["streamer"]})
    return room


def call(path, body):
    """Call with the API key: POST with a body, GET without. Return the result."""
    headers = {"content-type": "application/json", "im-api-key": setup["apiKey"]}
    content = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(setup["url"] + path, content, headers)) as answer:
        found = json.load(answer)
        return found.get("result", found)


def use_existing_ids(case, raw, name):
    room = chance.choice(setup["invitations" if name in FOR_THE_INVITED else "rooms"])
    there = {
        "User ID": chance.choice(room["members"]),
        "Room ID": room["id"],
        "Message ID": chance.choice(room["messages"]),
        "User group ID": chance.choice(setup["groups"]),
        "ID of a failed call": chance.choice(setup["failedCalls"]),
        "File ID": chance.choice(setup["files"]),
    }
    components = case.operation.schema.raw_schema["components"]

    def named(part):
        """Resolve a reference; keywords next to the reference take precedence."""
        if "$ref" not in part:
            return part
        kind, name = part["$ref"].split("/")[-2:]
        return {**components[kind][name], **part}

    def fill(values, schemas):
        for name, schema in schemas.items():
            if name not in values or is_linked(case, values[name]) or chance.random() < 0.5:
                continue
            of_list = there.get(named(schema.get("items", {})).get("description"))
            if of_list is not None:
                values[name] = [of_list]
            else:
                values[name] = there.get(schema.get("description", "").split(",")[0], values[name])

    for where, values in (("path", case.path_parameters), ("query", case.query)):
        parameters = (named(p) for p in raw.get("parameters", []))
        described = {p["name"]: {**named(p["schema"]), **p} for p in parameters if p["in"] == where}
        if isinstance(values, dict):
            fill(values, described)
    content = raw.get("requestBody", {}).get("content", {}).get("application/json", {})
    if isinstance(case.body, dict):
        properties = named(content.get("schema", {})).get("properties", {})
        fill(case.body, {field: named(schema) for field, schema in properties.items()})


def is_linked(case, given):
    """Whether a link took the value from a response, rather than the generator."""
    values = given if isinstance(given, list) else [given]
    return case.meta.phase.name.value == "stateful" and any(isinstance(one, str) and one in answered for one in values)


def make_consistent(case, name):
    """Make dependent fields consistent, which JSON Schema cannot express for queries and times."""
    query = case.query if isinstance(case.query, dict) else {}
    body = case.body if isinstance(case.body, dict) else {}
    if name == "getStats" and query:
        end = int(time.time()) - chance.randrange(86_400)
        window = {"start": end - chance.randrange(1, 31 * 86_400), "end": end}
        case.query = window if chance.random() < 0.5 else {f"{key}Time": value * 1000 for key, value in window.items()}
    if name == "setMyPref" and "data" in body:
        body["data"] = [body["data"], chance.getrandbits(80), chance.random() * 10 ** chance.randrange(40), -0.0, 1.0]
    if "skip" in query and chance.random() < 0.7:
        query["skip"] = 0
    if name == "listUsers" and "q" in query:
        query["q"] = chance.choice(['{"_id":"alice"}', '{"nickname":{"$regex":"a","$options":"i"}}', "{}"])
    if name == "listRooms" and "pref" in query:
        query["pref"] = chance.choice(['{"tags":"work"}', '{"hidden":false,"sticky":true}', "{}"])
    if name == "listMessages" and "beforeMessage" in query:
        for other in ("afterMessage", "afterTime"):
            query.pop(other, None)
    for field, value in (("cursor", None), ("since", "2026-01-01T00:00:00Z"), ("until", "2100-01-01T00:00:00Z")):
        for values in (query, body):
            if field in values and chance.random() < 0.8 and not is_linked(case, values[field]):
                values.pop(field) if value is None else values.update({field: value})
    if name in WITH_A_SENDER and "IM-API-KEY" not in case.headers:
        body.pop("sender", None)
        query.pop("sender", None)
    elif name in WITH_A_SENDER and isinstance(case.body, dict):
        body["sender"] = me
    if "untilMS" in body or "sendAtMS" in body:
        body.update({field: int(time.time() + 86_400) * 1_000 for field in ("untilMS", "sendAtMS") if field in body})
    if name in {"sendMessage", "writeMessage", "openStream", "scheduleMessage"}:
        for field in ("thread", "attachments", "replyTo", "expiresInS"):
            if chance.random() < 0.7:
                body.pop(field, None)
    if name == "openStream":
        body.update({"sender": "streamer", "room": room_of_a_streamer()})
        case.headers = {**case.headers, "IM-API-KEY": setup["apiKey"]}
    if name == "banMember":
        banned_in_rooms.append((case.path_parameters["roomID"], case.path_parameters["blockee"]))
    if name == "unbanMember" and banned_in_rooms:
        case.path_parameters["roomID"], case.path_parameters["blockee"] = chance.choice(banned_in_rooms)
    if name in {"appendStream", "endStream"}:
        case.path_parameters["id"] = new_stream()
        case.headers = {**case.headers, "IM-API-KEY": setup["apiKey"]}
        body.pop("at", None)
    if name == "writeMessage" and "_id" in body:
        for field in ("sendAtMS", "replyTo", "thread", "expiresInS", "mentions"):
            body.pop(field, None)
    if name == "saveUser":
        body.pop("deviceId", None)
    if name in {"saveUser", "bindToken"} and "token" in body:
        body["token"] = f"token {chance.getrandbits(64)}"
    if name == "revokeTokens":
        for field in chance.sample(("token", "jti", "deviceId"), 2):
            body.pop(field, None)
    if name == "endToken":
        fresh_token()
        case.path_parameters["client_id"] = "renewer"
    if name in {"endMyToken", "endToken"}:
        case.path_parameters["id"] = call("/admin/clients/renewer/tokens", None)["data"][0]["id"]
    if name == "readTimeline":
        case.query = {"user": "alice", "limit": 10} if chance.random() < 0.5 else {"room": "demo-room"}
    if name == "getChanges" and "since" in query:
        query["since"] = int(time.time() * 1_000)
    if name == "markThreadRead":
        case.path_parameters["id"], body["message"] = chance.choice(setup["threads"])
    if name == "getJob":
        case.path_parameters["id"] = chance.choice(setup["jobs"])
    if name == "retryWebhookCalls":
        body["room"] = "a room without calls"
    if name == "startChat":
        body["members"] = ["alice"]
    if name == "setConfig":
        body["announcement"] = "Maintenance at noon"
    if name == "createRoom" and "owner" in body and body.get("members"):
        body["owner"] = body["members"][0]
    if "expirationDate" in body and chance.random() < 0.8:
        body["expirationDate"] = "2100-01-01T00:00:00Z"
