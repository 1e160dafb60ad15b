!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  "asc.printf"(%m) {form = "desc: text, arguments: rest", format = "shown", at = "13:4"} : (!int) -> ()
}) {sym_name = "what_nothing_uses", parameters = ["n", "m", "x"]} : () -> ()
